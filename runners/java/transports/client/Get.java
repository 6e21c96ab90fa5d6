package transports.client;

import control.Request;
import harness.Failure;
import harness.Prepared;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import transports.wire.Gzip;
import transports.wire.Wire;

/** The server encodes, the client decodes. */
final class Get extends Exchange {
    private final String type;
    private final int most;

    Get(HttpClient http, Request q, Prepared codec) throws Failure {
        super(http, q, codec);
        type = Wire.type(codec);
        most = Wire.most(codec);
    }

    @Override
    int run(int document, Spans s, int i) throws Failure, InterruptedException {
        HttpRequest request = request("/" + coding() + "/" + document).header("Accept", type).header("Accept-Encoding", coding()).GET().build();
        long begin = System.nanoTime();
        long start = System.nanoTime();
        HttpResponse<byte[]> answer = send(request);
        long received = System.nanoTime();
        check(answer, type, coding());
        long checked = System.nanoTime();
        byte[] bytes = gzip ? expand(answer.body()) : answer.body();
        long expanded = System.nanoTime();
        Object object = decode(bytes);
        long decoded = System.nanoTime();
        s.total[i] = System.nanoTime() - begin;
        s.encode[i] = span(answer, "encode");
        s.compress[i] = gzip ? span(answer, "compress") : 0;
        s.transfer[i] = rest(answer, received - start, s.encode[i], s.compress[i]);
        s.decompress[i] = gzip ? expanded - checked : 0;
        s.decode[i] = decoded - expanded;
        wireBytes += answer.body().length;
        return codec.root.leaf(object);
    }

    private byte[] expand(byte[] body) throws Failure {
        try {
            return Gzip.expand(body, most);
        } catch (Exception e) {
            throw new Failure("the answer cannot be decompressed", e);
        }
    }

    private Object decode(byte[] bytes) throws Failure {
        try {
            return codec.root.object(bytes);
        } catch (Exception e) {
            throw new Failure(codec.codec + " cannot decode the answer", e);
        }
    }
}
