
# A batch per GPU in the name, all of it in the text.
export DGXNNODES=1
export DGXNGPU=8
export BATCHSIZE=$(( 3456 * 8 ))
export OMP_NUM_THREADS=1
