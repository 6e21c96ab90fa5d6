package transports.client;

import control.Reply;
import control.Request;
import harness.Allocations;
import harness.Failure;
import harness.Prepared;
import harness.Usage;
import java.net.http.HttpClient;

/** Makes HTTP requests one after another over one connection, and tells apart where their time goes. */
public final class Client {
    private static final long MAX_REQUESTS = 1 << 20;

    private final HttpClient http;

    public Client() {
        // Cases have their turns seconds apart, and all use one connection.
        System.setProperty("jdk.httpclient.keepalive.timeout", "3600");
        System.setProperty("jdk.httpclient.disableRetryConnect", "true");
        http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER).build();
    }

    public void call(Request q, Prepared codec, Reply r) throws Failure, InterruptedException {
        Exchange exchange = exchange(q, codec);
        int n = (int) q.integer("requests", 1, MAX_REQUESTS);
        int first = (int) q.integer("document", 0, codec.documents.length - 1);
        int window = (int) q.integer("window", 1, codec.documents.length - first);
        Spans spans = new Spans(n);
        int sum = 0;
        Allocations allocations = Allocations.begin();
        Usage before = Usage.before();
        for (int i = 0; i < n; i++) {
            sum += exchange.run(first + i % window, spans, i);
        }
        Usage used = Usage.since(before);
        long allocated = allocations.end();
        spans.write(r);
        r.integer("wire_bytes", exchange.wireBytes).integer("checksum", sum & 0xffffffffL);
        r.integer("cpu_ns", used.cpu).integer("allocated", allocated);
    }

    private Exchange exchange(Request q, Prepared codec) throws Failure {
        String operation = q.text("operation");
        switch (operation) {
            case "get":
                return new Get(http, q, codec);
            case "post":
                return new Post(http, q, codec);
            default:
                throw new Failure("there is no operation \"" + operation + "\" over HTTP; there are get and post");
        }
    }
}
