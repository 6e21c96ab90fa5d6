package transports.spring;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Lets pages of other origins read answers and their timing. */
class CrossOrigin extends OncePerRequestFilter {
    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getHeader("Origin") == null; // no page asks
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain) throws IOException, ServletException {
        response.setHeader("Access-Control-Allow-Origin", "*");
        response.setHeader("Timing-Allow-Origin", "*");
        response.setHeader("Access-Control-Expose-Headers", "Server-Timing, Content-Encoding");
        response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
        if (!request.getMethod().equals("OPTIONS")) {
            chain.doFilter(request, response);
            return;
        }
        response.setHeader("Access-Control-Allow-Methods", "GET, POST");
        response.setHeader("Access-Control-Allow-Headers", "content-type, content-encoding");
        response.setHeader("Access-Control-Max-Age", "600");
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }
}
