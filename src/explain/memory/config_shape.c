/* SPDX-License-Identifier: Apache-2.0 */
/* config_shape.c - the architecture of a config.json: its sizes, by formulas, and what else its family says of it. */
#include "explain/memory/formula.h"

void mls_config_read_shape(config_json *of, mls_model_shape *shape)
{
    *shape = (mls_model_shape){.layers = 0};
    mls_formula_read_shape(of, shape);
    shape->biases = (mls_biases)mls_bytes_min(mls_formula_value(of, "biases", 0), MLS_BIASES_ALL);
    shape->tied_embeddings = mls_formula_value(of, "tied", 0) != 0 ? MLS_SAID_YES : MLS_SAID_NO;
    shape->qk_norms = mls_formula_value(of, "qk_norms", 0) != 0;
    shape->sinks = mls_formula_value(of, "sinks", 0) != 0;
    shape->expert_biases = mls_formula_value(of, "expert_biases", 0) != 0;
    shape->router_biases = mls_formula_value(of, "router_biases", 0) != 0;
    mls_config_read_layers(of, shape);
    if (mls_formula_is_own(of, "beside") && shape->heads != 0) {
        mls_model_shape complete = *shape;
        mls_shape_complete(&complete);
        of->shape = &complete;
        shape->other_parameters = mls_formula_needed(of, "beside");
        of->shape = NULL;
    }
}
