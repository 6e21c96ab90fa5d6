package transports;

import control.Reply;
import control.Request;
import harness.Prepared;
import java.util.Map;

/** What bytes cross between a client and a server. Each has one file. */
public interface Transport {
    /**
     * Serves what was prepared, by sample and codec, at an address such as 127.0.0.1:0, for as long as the process
     * lives, and gives the address.
     */
    String serve(String address, Map<String, Map<String, Prepared>> samples) throws Exception;

    /** Makes the requests that a "call" asks for, with a codec that is prepared, and writes their times. */
    void call(Request q, Prepared codec, Reply r) throws Exception;

    /** What serves and calls, with versions. */
    String libraries();
}
