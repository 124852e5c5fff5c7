# An A100 (SXM, 80 GB), derived from published figures: nothing here was measured
# by us. `set arch sm_80`, then `set profile a100`. What is not listed is as
# the simulated sm_80 has it.
device NVIDIA A100 (derived, not measured)
arch sm_80
# NVIDIA A100 Tensor Core GPU Architecture, whitepaper
clock_mhz 1410
l1_shared_kib 192
l2_kib 40960
l2_bytes 5120
l2_sm_bytes 64
dram_bytes 1446            # 2,039 GB/s at 1.41 GHz
# CUDA C++ Programming Guide 13.0, throughput of native arithmetic instructions
ALU.interval 2             # 64 results a cycle and SM
FMA.interval 2
IMAD.interval 2
SFU.interval 8             # 16
FP64.interval 4            # 32
# Abdelkhalik et al., 2022, arXiv:2208.11174
ALU.latency 4
FMA.latency 4
IMAD.latency 4
FP64.latency 8
SFU.latency 18
l1_latency 33
shared_latency 23
l2_latency 200
dram_latency 470
