# Wrong: a copy within the own CTA.
from tvm.tirx.lang.pipeline import MBarrier

@T.prim_func
def send(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64, 32), "float32")
    B = T.match_buffer(B_ptr, (64, 32), "float32")
    T.device_entry()
    rank = T.cta_id_in_cluster([2]); T.cta_id([2]); tid = T.thread_id([1])
    pool = T.SMEMPool()
    here = pool.alloc((64, 32), "float32", align=128, layout=TileLayout(S[(64, 32) : (32, 1)]))
    there = pool.alloc((64, 32), "float32", align=128, layout=TileLayout(S[(64, 32) : (32, 1)]))
    mbar = MBarrier(pool, 1); pool.commit()
    mbar.init(1); T.ptx.fence.mbarrier_init(); T.cuda.cluster_sync()
    if tid == 0:
        if rank == 0:
            Tx.copy(here[0:64, 0:32], A[0:64, 0:32])
            T.ptx.fence.proxy_async("shared::cta")
            Tx.copy(there[0:64, 0:32], here[0:64, 0:32])
        else:
            T.ptx.mbarrier.arrive.expect_tx(mbar.ptr_to([0]), 0)
            mbar.wait(0, 0)
            Tx.copy(B[0:64, 0:32], there[0:64, 0:32])
    T.cuda.cluster_sync()
