// Beside apart_a.cu, in the place of apart_b.cu: a mistake in the second source.
__global__ void wild(int *p) {
    p[1 << 20] = 1; // out of bounds
}
void other(int *p) { wild<<<1, 1>>>(p); }
