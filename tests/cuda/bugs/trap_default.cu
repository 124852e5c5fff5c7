// An operation that the switch does not know ends in __trap().
#include <cstdio>

enum Op { ADD, MUL, MAX };

__global__ void apply(const float *in, float *out, int op) {
    float x = in[threadIdx.x];
    switch (op) {
    case ADD:
        out[threadIdx.x] = x + 1;
        break;
    case MUL:
        out[threadIdx.x] = x * 2;
        break;
    case MAX:
        out[threadIdx.x] = fmaxf(x, 3);
        break;
    default:
        __trap(); // @finding trap
    }
}

int main() {
    const int n = 64, m = 64;
    static float in[n];
    static float out[m];
    for (int i = 0; i < n; i++)
        in[i] = i % 17;
    float *d_in;
    float *d_out;
    cudaMalloc(&d_in, sizeof in);
    cudaMalloc(&d_out, sizeof out);
    cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
    cudaMemset(d_out, 0, sizeof out);
    apply<<<1, n>>>(d_in, d_out, MAX + 1);
    cudaError_t e = cudaDeviceSynchronize();
    if (e)
        printf("%s\n", cudaGetErrorString(e));
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    int bad = 0;
    for (int i = 0; i < m; i++)
        bad += out[i] != (in[i] > 3 ? in[i] : 3);
    printf("trap_default: %d wrong\n", bad);
    cudaFree(d_in);
    cudaFree(d_out);
    return 0; // wrong or not: see @finding
}
