// finding: host-leak
int main() {
    int *p;
    cudaMalloc(&p, 4);
}
