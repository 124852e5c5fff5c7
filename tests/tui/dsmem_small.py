from tvm.tirx.lang.pipeline import MBarrier

shape, dtype, CLUSTER_N = (16, 64), "float16", 2
src_layout = dst_layout = TileLayout(S[16, 64])
copy_bytes = 16 * 64 * 2
r = (slice(0, 16), slice(0, 64))

@T.prim_func
def dsmem_copy(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, shape, dtype); B = T.match_buffer(B_ptr, shape, dtype)
    T.device_entry()
    cbx = T.cta_id_in_cluster([CLUSTER_N]); T.cta_id([CLUSTER_N]); tid = T.thread_id([1])
    pool = T.SMEMPool()
    src_smem = T.decl_buffer(list(shape), dtype, pool.alloc([8192], dtype, align=16).data,
                             elem_offset=0, scope="shared.dyn", layout=src_layout)
    dst_smem = T.decl_buffer(list(shape), dtype, pool.alloc([8192], dtype, align=16).data,
                             elem_offset=0, scope="shared.dyn", layout=dst_layout)
    mbar = MBarrier(pool, 1); pool.commit()
    mbar.init(1); T.ptx.fence.mbarrier_init(); T.cuda.cluster_sync()
    if tid == 0:
        if cbx == 0:                                      # source CTA
            Tx.copy(src_smem[r], A[r])                    # global -> local shared
            T.ptx.fence.proxy_async("shared::cta")
            Tx.copy_async(dst_smem[r], src_smem[r], dispatch="dsmem",
                          mbar=mbar.ptr_to([0]), remote_cta_id=T.int32(1))   # -> CTA 1
        else:                                             # destination CTA
            T.ptx.mbarrier.arrive.expect_tx(mbar.ptr_to([0]), copy_bytes)
            mbar.wait(0, 0)
            Tx.copy(B[r], dst_smem[r])                    # remote shared -> global
    T.cuda.cluster_sync()
