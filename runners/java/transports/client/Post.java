package transports.client;

import control.Request;
import harness.Failure;
import harness.Prepared;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import transports.wire.Gzip;
import transports.wire.Wire;

/** The client encodes, the server decodes. */
final class Post extends Exchange {
    private final HttpRequest.Builder request;

    Post(HttpClient http, Request q, Prepared codec) throws Failure {
        super(http, q, codec);
        request = request("").header("Content-Type", Wire.type(codec));
        if (gzip) {
            request.header("Content-Encoding", "gzip");
        }
    }

    @Override
    int run(int document, Spans s, int i) throws Failure, InterruptedException {
        Object object = codec.object(document);
        codec.root.renew(object);
        long begin = System.nanoTime();
        long start = System.nanoTime();
        byte[] bytes = encode(object);
        long encoded = System.nanoTime();
        byte[] body = gzip ? compress(bytes) : bytes;
        long compressed = System.nanoTime();
        HttpResponse<byte[]> answer = send(request.POST(BodyPublishers.ofByteArray(body)).build());
        long received = System.nanoTime();
        s.total[i] = System.nanoTime() - begin;
        check(answer, "text/plain", "identity");
        s.encode[i] = encoded - start;
        s.compress[i] = gzip ? compressed - encoded : 0;
        s.decompress[i] = gzip ? span(answer, "decompress") : 0;
        s.decode[i] = span(answer, "decode");
        s.transfer[i] = rest(answer, received - compressed, s.decompress[i], s.decode[i]);
        wireBytes += body.length;
        return checksum(answer);
    }

    private byte[] encode(Object object) throws Failure {
        try {
            return codec.root.bytes(object);
        } catch (Exception e) {
            throw new Failure("encode of " + codec.codec, e);
        }
    }

    private static byte[] compress(byte[] plain) throws Failure {
        try {
            return Gzip.compress(plain);
        } catch (Exception e) {
            throw new Failure("compress", e);
        }
    }

    private static int checksum(HttpResponse<byte[]> answer) throws Failure {
        String text = new String(answer.body(), StandardCharsets.UTF_8).strip();
        try {
            return Integer.parseUnsignedInt(text);
        } catch (NumberFormatException e) {
            throw new Failure(answer.uri() + ": the server answered \"" + text.substring(0, Math.min(80, text.length())) + "\"; want a checksum");
        }
    }
}
