# Measured by tilecopy-repl calibrate: cycles of the SM's clock, bytes a cycle.
# `set profile FILE` takes it.
device NVIDIA H200
arch sm_90
date 2026-11-22
driver 13.0
clock_mhz              1980  # 1980.00: CLOCK_MHZ
l2_kib                61440  # 61440.00: L2_KIB
l1_latency               34  # 34.01: M(l1)
shared_latency           23  # 23.00: M(shared_chase)
shared_least              1  # 1.02: M(shared_loads_1)
shared_conflict           1  # 1.00: (M(shared_loads_32) - M(shared_loads_1)) / 31
l2_latency              274  # 274.18: M(chase_1m)
dram_latency            595  # 594.86: M(chase_256m)
l2_sm_bytes              77  # 77.48: 1024 * 16 * 8 / M(read_l2_8_1024)
l2_bytes               4630  # 4629.63: 132.0 * 1024 * 16 * 4 / M(read_l2_all_4_1024)
dram_bytes             2320  # 2319.57: 264.0 * 1024 * 16 * 4 / M(read_dram_all_4_2048)
bulk_bytes               96  # 96.28: (65536 - 16384) / (M(bulk_load_65536) - M(bulk_load_16384))
cluster_latency         193  # 192.75: M(dsmem_chase) - M(latency_lop3)
ALU.latency               4  # 4.25: M(latency_lop3)
ALU.interval              2  # 2.08: M(rate_lop3)
FMA.latency               4  # 4.22: M(latency_fma)
FMA.interval              1  # 1.10: M(rate_fma)
IMAD.latency              4  # 4.22: M(latency_imad)
IMAD.interval             2  # 2.03: M(rate_imad)
SFU.latency              17  # 17.00: M(latency_ex2)
SFU.interval              8  # 7.99: M(rate_ex2)
FP64.latency              8  # 8.09: M(latency_dfma)
FP64.interval             2  # 2.02: M(rate_dfma)
EXCHANGE.latency         24  # 24.00: M(latency_shfl)
EXCHANGE.interval         4  # 4.04: M(rate_shfl)
MMA.latency              24  # 24.34: M(latency_mma)
MMA.interval              6  # 6.12: M(rate_mma)
# not from these data, left as the machine has them:
#   l1_shared_kib
#   l2_far
#   page_first
#   store_bytes
#   l2_write_bytes
#   bulk_latency
#   bulk_read
#   bulk_written
#   mbarrier_latency
#   barrier_base
#   barrier_warp
#   cluster_barrier
#   atom_shared
#   atom_global
#   atom_shared_halves
#   atom_global_halves
#   atom_float_halves
#   atom_line_halves
#   copy_landed
#   branch_taken
#   const_each
#   fence_gpu
#   cta_launch
#   warp_launch
#   cta_least
#   const_first
#   const_next
#   branch_apart
#   copy_small
#   copy_missing
#   BRANCH.latency
#   BRANCH.interval
#   LSU.latency
#   LSU.interval
#   ASYNC.latency
#   ASYNC.interval
#   BARRIER.latency
#   BARRIER.interval
