# bash completion for mlscore, made by 'mlscore completion bash'
_mlscore()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local prefix= options= words= files=no value=no i overview=no
    # --option=value is three words where COMP_WORDBREAKS holds '=', else one.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $cur == --*=* ]]; then
        prefix=${cur%%=*}= prev=${cur%%=*} cur=${cur#*=}
    fi
    case $COMP_CWORD:${COMP_WORDS[1]} in
    1:*)
        overview=yes
        words='score report check merge verify review pack rcp rules compare published plan throughput diagnose profile telemetry memory config watch events log hosts help completion'
        ;;
    *:score)
        options='--usage= --edition= --rules= --window --rcp= --bert-train-samples --write-scaling --precision= --jobs --sacct= --timezone= --no-fail --timeout= --format= --label= --no-path --wide --summary --partial --shard= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --rules) value=yes words='' files=yes ;;
        --rcp) value=yes words='' files=yes ;;
        --precision) value=yes words='fp4 fp8 int8 int4 bf16 fp16 tf32 fp32 fp64' files=no ;;
        --sacct) value=yes words='' files=yes ;;
        --timezone) value=yes words='' files=no ;;
        --timeout) value=yes words='' files=no ;;
        --format) value=yes words='table csv json ndjson markdown openmetrics oneline' files=no ;;
        --label) value=yes words='' files=no ;;
        --shard) value=yes words='' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:report)
        options='--usage= --edition= --rules= --window --against= --detail= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --rules) value=yes words='' files=yes ;;
        --against) value=yes words='' files=yes ;;
        --detail) value=yes words='all brief none' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:check)
        options='--usage= --edition= --rules= --split --format= --partial --shard= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --rules) value=yes words='' files=yes ;;
        --format) value=yes words='table csv json ndjson markdown github junit' files=no ;;
        --shard) value=yes words='' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:merge)
        options='--allow-missing --partial --status --plan= --jobs --sacct= --timezone= --no-fail --format= --label= --no-path --wide --summary --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --plan) value=yes words='' files=no ;;
        --sacct) value=yes words='' files=yes ;;
        --timezone) value=yes words='' files=no ;;
        --format) value=yes words='table csv json ndjson markdown openmetrics oneline github junit' files=no ;;
        --label) value=yes words='' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:verify)
        options='--usage= --edition= --system= --benchmark= --only= --as= --rcp-bypass --seed-checker-bypass --bert-train-samples --explain= --format= --output= --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --system) value=yes words='' files=no ;;
        --benchmark) value=yes words='bert dlrm gnmt maskrcnn minigo resnet ssd transformer rnnt unet3d dlrm_dcnv2 gpt3 stable_diffusion llama2_70b_lora gnn retinanet rgat llama31_405b llama31_8b flux1 gpt_oss_20b deepseekv3_671b qwen35_397b_grpo dlrmv4 cosmoflow deepcam oc20 openfold' files=no ;;
        --only) value=yes words='errors warnings advice' files=no ;;
        --as) value=yes words='package repo' files=no ;;
        --explain) value=yes words='malformed torn-line empty missing-step step-order status diagnosis mixed-group run-count unreadable host-list sacct-row job-missing job-differs job-time job-ended value metadata order unevaluated target evaluation action end occurrence repeated unknown-scope too-much other-edition misspelt clock long-run several-values rules-text seed-missing seed-place seed-value seed-repeated seed-several seed-unsure seed-sequence power-log power-stop config-logged-batch config-name config-disagrees config-parallel config-walltime config-segment config-environment config-syntax config-arithmetic config-source config-unknown config-limit slow-phase slow-run slow-evaluation failed-run precision-switch mfu-impossible not-measured row-damaged time-back no-time device-order same-time host-unknown device-lost no-overlap coverage gap throttled power-cap ecc-uncorrected ecc-corrected unused-device straggler memory-does-not-fit memory-tight memory-model memory-export trace-truncated event-damaged report-ignored report-repeated number-format counters-missing rank-guessed rank-repeated rank-missing world-size rank-clock collective-unmatched collective-arguments system-empty no-results system-missing system-json system-field system-status result-count invalid-logs rcp power-files not-a-file log-size tree-limit benchmark-skipped benchmark-differs division-spelling division-differs submitter-differs forgiven result-name stray-file empty-folder system-unused no-implementation implementation-elsewhere implementation-lacks power-coverage power-watts power-nodes power-copied power-gap git-folder space-in-name hidden-name large-file broken-link link-outside scaling-file scaling-differs params-ignored copied-log resubmitted far-from-peers secret case-differs system-number config-system config-missing system-differs system-text system-twice system-answer system-notes file-damaged batch-text same-run same-course stop-early cache-clear fixed-value mixed-hyperparameters evaluation-interval run-fast run-gap run-date run-slow resubmitted-changed weak-alone system-logged' files=no ;;
        --format) value=yes words='table csv json markdown github junit html' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:review)
        options='--usage= --edition= --against= --only= --results --issue= --format= --output= --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --against) value=yes words='' files=no ;;
        --only) value=yes words='malformed torn-line empty missing-step step-order status diagnosis mixed-group run-count unreadable host-list sacct-row job-missing job-differs job-time job-ended value metadata order unevaluated target evaluation action end occurrence repeated unknown-scope too-much other-edition misspelt clock long-run several-values rules-text seed-missing seed-place seed-value seed-repeated seed-several seed-unsure seed-sequence power-log power-stop config-logged-batch config-name config-disagrees config-parallel config-walltime config-segment config-environment config-syntax config-arithmetic config-source config-unknown config-limit slow-phase slow-run slow-evaluation failed-run precision-switch mfu-impossible not-measured row-damaged time-back no-time device-order same-time host-unknown device-lost no-overlap coverage gap throttled power-cap ecc-uncorrected ecc-corrected unused-device straggler memory-does-not-fit memory-tight memory-model memory-export trace-truncated event-damaged report-ignored report-repeated number-format counters-missing rank-guessed rank-repeated rank-missing world-size rank-clock collective-unmatched collective-arguments system-empty no-results system-missing system-json system-field system-status result-count invalid-logs rcp power-files not-a-file log-size tree-limit benchmark-skipped benchmark-differs division-spelling division-differs submitter-differs forgiven result-name stray-file empty-folder system-unused no-implementation implementation-elsewhere implementation-lacks power-coverage power-watts power-nodes power-copied power-gap git-folder space-in-name hidden-name large-file broken-link link-outside scaling-file scaling-differs params-ignored copied-log resubmitted far-from-peers secret case-differs system-number config-system config-missing system-differs system-text system-twice system-answer system-notes file-damaged batch-text same-run same-course stop-early cache-clear fixed-value mixed-hyperparameters evaluation-interval run-fast run-gap run-date run-slow resubmitted-changed weak-alone system-logged' files=no ;;
        --issue) value=yes words='' files=no ;;
        --format) value=yes words='table markdown json html' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:pack)
        options='--into= --system= --benchmark= --config= --batch= --weak --describe= --scrub --implementation= --cut --incomplete --force --write --usage= --edition= --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --into) value=yes words='' files=no ;;
        --system) value=yes words='' files=no ;;
        --benchmark) value=yes words='bert dlrm gnmt maskrcnn minigo resnet ssd transformer rnnt unet3d dlrm_dcnv2 gpt3 stable_diffusion llama2_70b_lora gnn retinanet rgat llama31_405b llama31_8b flux1 gpt_oss_20b deepseekv3_671b qwen35_397b_grpo dlrmv4 cosmoflow deepcam oc20 openfold' files=no ;;
        --config) value=yes words='' files=no ;;
        --batch) value=yes words='' files=no ;;
        --describe) value=yes words='' files=yes ;;
        --implementation) value=yes words='' files=no ;;
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --format) value=yes words='table json' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:rcp)
        options='--batch= --rcp= --usage= --edition= --format= --output= --color= --help --version '
        words='bert dlrm gnmt maskrcnn minigo resnet ssd transformer rnnt unet3d dlrm_dcnv2 gpt3 stable_diffusion llama2_70b_lora gnn retinanet rgat llama31_405b llama31_8b flux1 gpt_oss_20b deepseekv3_671b qwen35_397b_grpo dlrmv4 cosmoflow deepcam oc20 openfold'
        case $prev in
        -b | --batch) value=yes words='' files=no ;;
        --rcp) value=yes words='' files=yes ;;
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --format) value=yes words='table csv json' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:rules)
        options='--usage= --json --rules= --format= --output= --color= --quiet --help --version '
        words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1 bert dlrm gnmt maskrcnn minigo resnet ssd transformer rnnt unet3d dlrm_dcnv2 gpt3 stable_diffusion llama2_70b_lora gnn retinanet rgat llama31_405b llama31_8b flux1 gpt_oss_20b deepseekv3_671b qwen35_397b_grpo dlrmv4 cosmoflow deepcam oc20 openfold'
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --rules) value=yes words='' files=yes ;;
        --format) value=yes words='table json markdown' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:compare)
        options='--usage= --edition= --published --limit= --submitter= --scaling --baseline= --accelerators= --fail-if= --by= --all --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --limit) value=yes words='' files=no ;;
        --submitter) value=yes words='' files=no ;;
        --baseline) value=yes words='' files=no ;;
        --accelerators) value=yes words='' files=no ;;
        --fail-if) value=yes words='' files=no ;;
        --by) value=yes words='scored measured' files=no ;;
        --format) value=yes words='table csv json ndjson markdown html' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:published)
        options='--usage= --edition= --benchmark= --division= --submitter= --system= --accelerator= --accelerators= --availability= --precision= --best --trend --settings --runs --sort= --limit= --format= --output= --color= --quiet --verbose --help --version '
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --benchmark) value=yes words='bert dlrm gnmt maskrcnn minigo resnet ssd transformer rnnt unet3d dlrm_dcnv2 gpt3 stable_diffusion llama2_70b_lora gnn retinanet rgat llama31_405b llama31_8b flux1 gpt_oss_20b deepseekv3_671b qwen35_397b_grpo dlrmv4 cosmoflow deepcam oc20 openfold' files=no ;;
        --division) value=yes words='closed open' files=no ;;
        --submitter) value=yes words='' files=no ;;
        --system) value=yes words='' files=no ;;
        --accelerator) value=yes words='' files=no ;;
        --accelerators) value=yes words='' files=no ;;
        --availability) value=yes words='cloud onprem preview research' files=no ;;
        --precision) value=yes words='fp4 fp8 int8 int4 bf16 fp16 tf32 fp32 fp64' files=no ;;
        --sort) value=yes words='edition minutes accelerators accelerator-minutes submitter' files=no ;;
        --limit) value=yes words='' files=no ;;
        --format) value=yes words='table csv json ndjson markdown' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:plan)
        options='--usage= --edition= --benchmark= --accelerators= --nodes= --times= --batch= --target= --samples= --level= --factors= --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --benchmark) value=yes words='bert dlrm gnmt maskrcnn minigo resnet ssd transformer rnnt unet3d dlrm_dcnv2 gpt3 stable_diffusion llama2_70b_lora gnn retinanet rgat llama31_405b llama31_8b flux1 gpt_oss_20b deepseekv3_671b qwen35_397b_grpo dlrmv4 cosmoflow deepcam oc20 openfold' files=no ;;
        --accelerators) value=yes words='' files=no ;;
        --nodes) value=yes words='' files=no ;;
        --times) value=yes words='' files=no ;;
        --batch) value=yes words='' files=no ;;
        --target) value=yes words='' files=no ;;
        --samples) value=yes words='' files=no ;;
        --level) value=yes words='0.5 0.75 0.9' files=no ;;
        --factors) value=yes words='' files=yes ;;
        --format) value=yes words='table csv json ndjson markdown' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:throughput)
        options='--usage= --edition= --accelerator= --accelerators= --precision= --causal --series --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --accelerator) value=yes words='' files=no ;;
        --accelerators) value=yes words='' files=no ;;
        --precision) value=yes words='fp8 fp4' files=no ;;
        --format) value=yes words='table csv json ndjson markdown' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:diagnose)
        options='--campaign --sacct= --signatures= --format= --output= --files-from= --null --threads= --color= --quiet --verbose --help --version '
        files=yes
        case $prev in
        --sacct) value=yes words='' files=yes ;;
        --signatures) value=yes words='' files=yes ;;
        --format) value=yes words='table json ndjson' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:profile)
        options='--by= --by-annotation --top= --kernels= --against= --run= --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --by) value=yes words='class name stream device annotation rank collective' files=no ;;
        --top) value=yes words='' files=no ;;
        --kernels) value=yes words='' files=yes ;;
        --against) value=yes words='' files=yes ;;
        --run) value=yes words='' files=yes ;;
        --format) value=yes words='table csv json ndjson markdown' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:telemetry)
        options='--run= --timezone= --offset= --gap= --columns= --start= --interval= --host-pattern= --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --run) value=yes words='' files=yes ;;
        --timezone) value=yes words='' files=no ;;
        --offset) value=yes words='' files=no ;;
        --gap) value=yes words='' files=no ;;
        --columns) value=yes words='' files=no ;;
        --start) value=yes words='' files=no ;;
        --interval) value=yes words='' files=no ;;
        --host-pattern) value=yes words='' files=no ;;
        --format) value=yes words='table csv json ndjson markdown' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:memory)
        options='--model= --gpu= --capacity= --gpus= --gpus-per-node= --tp= --pp= --cp= --ep= --vp= --pipeline-layout= --precision= --runtime= --context= --users= --kv-precision= --prefill= --gpu-memory-utilization= --cuda-graphs= --offload --link= --train --framework= --sequence= --micro-batch= --accumulation= --zero= --fsdp= --bucket-view --recompute= --sequence-parallel --no-sequence-parallel --grad-precision= --master= --optimizer= --lora= --fp8 --fp8-params --fp4 --fp8-activations --fp8-attention --attention= --dropout= --loss= --vocab-multiple= --embed-slot --loss-slot --offload-layers= --step-copy --oom --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --model) value=yes words='' files=no ;;
        --gpu) value=yes words='' files=no ;;
        --capacity) value=yes words='' files=no ;;
        --gpus) value=yes words='' files=no ;;
        --gpus-per-node) value=yes words='' files=no ;;
        --tp) value=yes words='' files=no ;;
        --pp) value=yes words='' files=no ;;
        --cp) value=yes words='' files=no ;;
        --ep) value=yes words='' files=no ;;
        --vp) value=yes words='' files=no ;;
        --pipeline-layout) value=yes words='' files=no ;;
        --precision) value=yes words='fp32 fp16 bf16 fp8 int8 mxfp8 nvfp4 mxfp4 fp4 int4 amp mixed Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M Q6_K' files=no ;;
        --runtime) value=yes words='' files=no ;;
        --context) value=yes words='' files=no ;;
        --users) value=yes words='' files=no ;;
        --kv-precision) value=yes words='fp32 fp16 bf16 fp8 int8 mxfp8 nvfp4 mxfp4 fp4 int4' files=no ;;
        --prefill) value=yes words='' files=no ;;
        --gpu-memory-utilization) value=yes words='' files=no ;;
        --cuda-graphs) value=yes words='' files=no ;;
        --link) value=yes words='' files=no ;;
        --framework) value=yes words='megatron torch' files=no ;;
        --sequence) value=yes words='' files=no ;;
        --micro-batch) value=yes words='' files=no ;;
        --accumulation) value=yes words='' files=no ;;
        --zero) value=yes words='' files=no ;;
        --fsdp) value=yes words='no_shard shard_grad_op full_shard hybrid_shard' files=no ;;
        --recompute) value=yes words='' files=no ;;
        --grad-precision) value=yes words='fp32 bf16' files=no ;;
        --master) value=yes words='fp32 remainder none' files=no ;;
        --optimizer) value=yes words='adam sgd none' files=no ;;
        --lora) value=yes words='' files=no ;;
        --attention) value=yes words='flash unfused' files=no ;;
        --dropout) value=yes words='off on' files=no ;;
        --loss) value=yes words='fused eager chunked' files=no ;;
        --vocab-multiple) value=yes words='' files=no ;;
        --offload-layers) value=yes words='' files=no ;;
        --format) value=yes words='table csv json' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:config)
        options='--exports --diff --format= --output= --files-from= --null --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --format) value=yes words='table csv json' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:watch)
        options='--usage= --edition= --rules= --once --exit-on-end --timeout= --interval= --poll --beat= --full --format= --threads= --color= --quiet --verbose --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --rules) value=yes words='' files=yes ;;
        --timeout) value=yes words='' files=no ;;
        --interval) value=yes words='' files=no ;;
        --beat) value=yes words='published' files=no ;;
        --format) value=yes words='table ndjson' files=no ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
        ;;
    *:events)
        options='--key= --count --format= --partial --shard= --output= --files-from= --null --threads= --quiet --help --version '
        files=yes
        case $prev in
        -k | --key) value=yes words='' files=no ;;
        --format) value=yes words='csv ndjson' files=no ;;
        --shard) value=yes words='' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        esac
        ;;
    *:log)
        options='--event= --metadata= --namespace= --rank= --output= --help --version '
        case $prev in
        --event) value=yes words='start end point' files=no ;;
        -m | --metadata) value=yes words='' files=no ;;
        --namespace) value=yes words='' files=no ;;
        --rank) value=yes words='' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        esac
        ;;
    *:hosts)
        options='--fold --count --output= --help --version '
        case $prev in
        -o | --output) value=yes words='' files=yes ;;
        esac
        ;;
    *:help)
        options='--help --version '
        words='score report check merge verify review pack rcp rules compare published plan throughput diagnose profile telemetry memory config watch events log hosts help completion overview findings signatures malformed torn-line empty missing-step step-order status diagnosis mixed-group run-count unreadable host-list sacct-row job-missing job-differs job-time job-ended value metadata order unevaluated target evaluation action end occurrence repeated unknown-scope too-much other-edition misspelt clock long-run several-values rules-text seed-missing seed-place seed-value seed-repeated seed-several seed-unsure seed-sequence power-log power-stop config-logged-batch config-name config-disagrees config-parallel config-walltime config-segment config-environment config-syntax config-arithmetic config-source config-unknown config-limit slow-phase slow-run slow-evaluation failed-run precision-switch mfu-impossible not-measured row-damaged time-back no-time device-order same-time host-unknown device-lost no-overlap coverage gap throttled power-cap ecc-uncorrected ecc-corrected unused-device straggler memory-does-not-fit memory-tight memory-model memory-export trace-truncated event-damaged report-ignored report-repeated number-format counters-missing rank-guessed rank-repeated rank-missing world-size rank-clock collective-unmatched collective-arguments system-empty no-results system-missing system-json system-field system-status result-count invalid-logs power-files not-a-file log-size tree-limit benchmark-skipped benchmark-differs division-spelling division-differs submitter-differs forgiven result-name stray-file empty-folder system-unused no-implementation implementation-elsewhere implementation-lacks power-coverage power-watts power-nodes power-copied power-gap git-folder space-in-name hidden-name large-file broken-link link-outside scaling-file scaling-differs params-ignored copied-log resubmitted far-from-peers secret case-differs system-number config-system config-missing system-differs system-text system-twice system-answer system-notes file-damaged batch-text same-run same-course stop-early cache-clear fixed-value mixed-hyperparameters evaluation-interval run-fast run-gap run-date run-slow resubmitted-changed weak-alone system-logged'
        ;;
    *:completion)
        options='--help --version '
        words='bash zsh fish'
        ;;
    *) overview=yes ;;
    esac
    # Paths stand where a command does, and are answered without one.
    if [[ $overview == yes ]]; then
        options='--usage= --edition= --against= --format= --output= --files-from= --null --threads= --color= --quiet --verbose --strict --help --version '
        files=yes
        case $prev in
        --usage) value=yes words='training hpc' files=no ;;
        --edition) value=yes words='0.7 1.0 1.1 2.0 2.1 3.0 3.1 4.0 4.1 5.0 5.1 6.0 6.1' files=no ;;
        --against) value=yes words='' files=yes ;;
        --format) value=yes words='table json' files=no ;;
        -o | --output) value=yes words='' files=yes ;;
        --files-from) value=yes words='' files=yes ;;
        -j | --threads) value=yes words='' files=no ;;
        --color) value=yes words='auto always never' files=no ;;
        esac
    fi
    # Behind -- there are operands only.
    for ((i = 2; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} != -- ]] || options=
    done
    COMPREPLY=()
    if [[ $value == no && $cur == -* && -n $options ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace
    elif [[ $files == yes && $value == no && -n $words && -n $cur ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -f -- "$cur")
        compopt -o filenames
    elif [[ $files == yes && -z $words ]]; then
        # No answer of ours: readline completes files, and knows how to quote them.
        compopt -o default
    elif [[ -n $words ]]; then
        COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$cur"))
    fi
}
complete -F _mlscore mlscore
