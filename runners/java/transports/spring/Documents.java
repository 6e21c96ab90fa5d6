package transports.spring;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.HandlerMapping;
import transports.wire.Timing;

/** The documents: GET gives one, POST takes one. */
@RestController
class Documents {
    private static final String GET = "/{sample}/{codec}/{coding}/{document}";
    private static final String POST = "/{sample}/{codec}";

    private final Shelf shelf;

    Documents(Shelf shelf) {
        this.shelf = shelf;
    }

    /** What Accept asks for is held against the codec's content type, as "produces" would have it. */
    @GetMapping(GET)
    Answer get(@PathVariable("sample") String sample, @PathVariable("codec") String codec, @PathVariable("coding") String coding,
            @PathVariable("document") String document, HttpServletRequest request) throws Exception {
        Shelf.Item item = shelf.find(sample, codec);
        boolean gzip = coding.equals("gzip");
        if (!gzip && !coding.equals("identity")) {
            throw Refusal.notFound("the coding \"" + coding + "\" is not served; there are identity and gzip");
        }
        int n = index(document, item.codec().documents.length);
        request.setAttribute(HandlerMapping.PRODUCIBLE_MEDIA_TYPES_ATTRIBUTE, Set.of(item.type()));
        return new Answer(item, item.codec().object(n), gzip);
    }

    private static int index(String document, int documents) throws Refusal {
        if (document.matches("[0-9]{1,9}") && Integer.parseInt(document) < documents) {
            return Integer.parseInt(document);
        }
        throw Refusal.notFound("there is no document " + document + "; the sample has " + documents);
    }

    /** Answers with the checksum of what was decoded. */
    @PostMapping(POST)
    ResponseEntity<String> post(@PathVariable("sample") String sample, @PathVariable("codec") String codec, HttpServletRequest request)
            throws IOException, Refusal {
        Posting posting = new Posting(shelf.find(sample, codec), request);
        long leaf = posting.leaf();
        return ResponseEntity.ok().contentType(MediaType.TEXT_PLAIN).header(Timing.HEADER, posting.timing()).body(Long.toString(leaf));
    }

    @RequestMapping(path = GET, method = {RequestMethod.HEAD, RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH, RequestMethod.DELETE})
    ResponseEntity<String> notGet(HttpServletRequest request) {
        return wrongMethod(request, HttpMethod.GET, HttpMethod.OPTIONS);
    }

    @RequestMapping(POST)
    ResponseEntity<String> notPost(HttpServletRequest request) {
        return wrongMethod(request, HttpMethod.POST, HttpMethod.OPTIONS);
    }

    @RequestMapping("/**")
    ResponseEntity<String> elsewhere(HttpServletRequest request) {
        if (!Set.of("GET", "POST").contains(request.getMethod())) {
            return wrongMethod(request, HttpMethod.GET, HttpMethod.POST, HttpMethod.OPTIONS);
        }
        return refuse(Refusal.notFound("nothing is served at this path; there are GET " + GET + " and POST " + POST));
    }

    private static ResponseEntity<String> wrongMethod(HttpServletRequest request, HttpMethod... allowed) {
        return ResponseEntity.status(HttpStatus.METHOD_NOT_ALLOWED).allow(allowed).contentType(MediaType.TEXT_PLAIN)
                .body(request.getMethod() + " is not for this path; use " + allowed[0]);
    }

    @ExceptionHandler
    ResponseEntity<String> refuse(Refusal e) {
        return sentence(e.status, e.getMessage());
    }

    @ExceptionHandler
    ResponseEntity<String> notAcceptable(HttpMediaTypeNotAcceptableException e) {
        return sentence(HttpStatus.NOT_ACCEPTABLE, "the document is of the type " + e.getSupportedMediaTypes() + ", which Accept does not name");
    }

    /** A document that the codec cannot read or write. */
    @ExceptionHandler({harness.Failure.class, HttpMessageNotWritableException.class})
    ResponseEntity<String> failed(Exception e) {
        return sentence(HttpStatus.INTERNAL_SERVER_ERROR, String.valueOf(e.getMessage()));
    }

    /** What a codec does not get through for want of memory. */
    @ExceptionHandler
    ResponseEntity<String> exhausted(OutOfMemoryError e) {
        return sentence(HttpStatus.INTERNAL_SERVER_ERROR, e.toString());
    }

    private static ResponseEntity<String> sentence(HttpStatus status, String what) {
        return ResponseEntity.status(status).contentType(MediaType.TEXT_PLAIN).header(HttpHeaders.CACHE_CONTROL, "no-store").body(what);
    }
}
