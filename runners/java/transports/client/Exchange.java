package transports.client;

import control.Request;
import harness.Failure;
import harness.Prepared;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.charset.StandardCharsets;
import transports.wire.Timing;
import transports.wire.Wire;

/** Requests of one case. */
abstract class Exchange {
    final Prepared codec;
    final boolean gzip;
    /** Bytes of bodies that have crossed. */
    long wireBytes;

    private final HttpClient http;
    private final String address, sample, peer;
    private final int most;

    Exchange(HttpClient http, Request q, Prepared codec) throws Failure {
        this.http = http;
        this.codec = codec;
        address = q.text("address");
        sample = q.text("sample");
        peer = q.text("peer").isEmpty() ? q.text("codec") : q.text("peer");
        most = Wire.most(codec);
        String encoding = q.text("encoding");
        gzip = encoding.equals("gzip:6");
        if (!gzip && !encoding.equals("identity")) {
            throw new Failure("there is no encoding \"" + encoding + "\"; there are identity and gzip:6");
        }
    }

    /** Makes one request, the i-th, with one document, and gives its checksum. */
    abstract int run(int document, Spans s, int i) throws Failure, InterruptedException;

    /** A request for what lies below the sample and codec. */
    HttpRequest.Builder request(String below) throws Failure {
        String uri = address + "/" + segment(sample) + "/" + segment(peer) + below;
        try {
            return HttpRequest.newBuilder(URI.create(uri));
        } catch (IllegalArgumentException e) {
            throw new Failure("the address \"" + address + "\" is not one of HTTP, such as http://127.0.0.1:8080");
        }
    }

    private static String segment(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Sends a request, and reads all of the answer. */
    HttpResponse<byte[]> send(HttpRequest request) throws Failure, InterruptedException {
        try {
            return http.send(request, this::receive);
        } catch (IOException e) {
            throw new Failure(request.method() + " " + request.uri(), e);
        }
    }

    /** Reads a body, but none that is longer than any right one, or of unknown length. */
    private HttpResponse.BodySubscriber<byte[]> receive(HttpResponse.ResponseInfo info) {
        long length = info.headers().firstValueAsLong("Content-Length").orElse(-1);
        return length < 0 || length > most ? BodySubscribers.replacing(null) : BodySubscribers.ofByteArray();
    }

    /** Fails where an answer is not of the kind that was asked for. */
    void check(HttpResponse<byte[]> answer, String type, String coding) throws Failure {
        String what = answer.request().method() + " " + answer.uri() + ": the server ";
        if (answer.body() == null) {
            throw new Failure(what + "answered " + answer.statusCode() + " with a body of " + header(answer, "Content-Length", "unknown")
                    + " bytes; want at most " + most);
        }
        if (answer.statusCode() != 200) {
            throw new Failure(what + "answered " + answer.statusCode() + ": " + new String(answer.body(), StandardCharsets.UTF_8).strip());
        }
        String had = header(answer, "Content-Type", "none");
        if (!had.split(";")[0].strip().equalsIgnoreCase(type)) {
            throw new Failure(what + "answered with the content type " + had + "; want " + type);
        }
        String encoding = header(answer, "Content-Encoding", "identity");
        if (!encoding.equalsIgnoreCase(coding)) {
            throw new Failure(what + "answered with the content encoding " + encoding + "; want " + coding);
        }
    }

    static String header(HttpResponse<?> answer, String name, String missing) {
        return answer.headers().firstValue(name).orElse(missing);
    }

    /** A span that the server must tell, in nanoseconds. */
    static long span(HttpResponse<?> answer, String name) throws Failure {
        String header = header(answer, Timing.HEADER, "");
        long ns = Timing.find(header, name);
        if (ns < 0) {
            throw new Failure(answer.request().method() + " " + answer.uri() + ": the server does not tell how long it took to " + name + ": " + Timing.HEADER
                    + " is \"" + header + "\"");
        }
        return ns;
    }

    /** What the server's spans leave of an exchange. */
    static long rest(HttpResponse<?> answer, long exchange, long... spans) throws Failure {
        long sum = 0;
        for (long span : spans) {
            sum += Math.min(span, Long.MAX_VALUE / 4);
        }
        if (sum > exchange) {
            throw new Failure(answer.request().method() + " " + answer.uri() + ": the server says that it worked for " + sum
                    + " ns, longer than the whole exchange (" + exchange + " ns)");
        }
        return exchange - sum;
    }

    String coding() {
        return gzip ? "gzip" : "identity";
    }
}
