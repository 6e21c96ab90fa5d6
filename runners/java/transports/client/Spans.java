package transports.client;

import control.Reply;

/** The parts of requests, in nanoseconds, one entry per request. */
final class Spans {
    final long[] total, encode, compress, transfer, decompress, decode;

    Spans(int requests) {
        total = new long[requests];
        encode = new long[requests];
        compress = new long[requests];
        transfer = new long[requests];
        decompress = new long[requests];
        decode = new long[requests];
    }

    void write(Reply r) {
        r.integers("total_ns", total).integers("encode_ns", encode).integers("compress_ns", compress);
        r.integers("transfer_ns", transfer).integers("decompress_ns", decompress).integers("decode_ns", decode);
    }
}
