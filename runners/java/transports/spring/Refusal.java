package transports.spring;

import org.springframework.http.HttpStatus;

/** A request that is not answered, with a sentence that says why. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1;

    final HttpStatus status;

    Refusal(HttpStatus status, String message) {
        super(message);
        this.status = status;
    }

    static Refusal notFound(String message) {
        return new Refusal(HttpStatus.NOT_FOUND, message);
    }

    static Refusal badRequest(String what, Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return new Refusal(HttpStatus.BAD_REQUEST, what + ": " + root);
    }
}
