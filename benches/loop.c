/* The yardstick: libpcap loops over a file and does nothing. */
#include <pcap/pcap.h>
#include <stdio.h>

static unsigned long frames;

static void nothing(u_char *user, const struct pcap_pkthdr *header, const u_char *bytes) {
    (void)user;
    (void)header;
    (void)bytes;
    frames++;
}

int main(int argc, char **argv) {
    char error[PCAP_ERRBUF_SIZE];
    pcap_t *file;
    if (argc != 2) {
        fprintf(stderr, "usage: loop FILE\n");
        return 2;
    }
    file = pcap_open_offline_with_tstamp_precision(argv[1], PCAP_TSTAMP_PRECISION_NANO, error);
    if (!file) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    pcap_loop(file, -1, nothing, NULL);
    printf("%lu\n", frames);
    return 0;
}
