# A B200, derived from published figures: nothing here was measured by us.
# `set arch sm_100a`, then `set profile b200`. What is not listed, the
# latencies above all, is as an H200 has it: nobody has published it.
device NVIDIA B200 (derived, not measured)
arch sm_100
# NVIDIA Blackwell architecture, technical brief
clock_mhz 1965
l1_shared_kib 256
l2_kib 129024
dram_bytes 3650            # 8 TB/s at 1.965 GHz, nine tenths of it
# CUDA C++ Programming Guide 13.0, throughput of native arithmetic instructions
ALU.interval 2             # 64 results a cycle and SM
FMA.interval 1             # 128
IMAD.interval 2
SFU.interval 8             # 16
FP64.interval 2            # 64
