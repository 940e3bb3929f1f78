package io.ensemble.rest.jetty;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends problems for requests that Jetty itself rejects, before a route is looked for. */
public final class JettyErrorHandler extends ErrorHandler {

  private static final Logger LOG = LoggerFactory.getLogger(JettyErrorHandler.class);

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      @Nullable String message,
      @Nullable Throwable cause,
      Callback callback) {
    ProblemType type = type(code);
    Problem problem = Problem.bare(type, message == null ? "the request cannot be read" : message);
    if (type == ProblemType.INTERNAL) {
      String incident = UUID.randomUUID().toString();
      LOG.error("a request failed before a route was found; incident={}", incident, cause);
      problem = problem.with("incident", incident);
    }
    RestResponse reply = problem.reply(String.valueOf(request.getHttpURI().getPathQuery()));
    response.setStatus(reply.status());
    reply.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    SecurityHeaders.complete(response.getHeaders());
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
    response.write(true, ByteBuffer.wrap(reply.body()), callback);
  }

  private static ProblemType type(int code) {
    return switch (code) {
      case 413 -> ProblemType.TOO_LARGE;
      case 414 -> ProblemType.URI_TOO_LONG;
      case 431 -> ProblemType.HEADERS_TOO_LARGE;
      case 503 -> ProblemType.NOT_READY;
      case 501, 505 -> ProblemType.MALFORMED; // Unsupported coding or HTTP version.
      default -> code < 500 ? ProblemType.MALFORMED : ProblemType.INTERNAL;
    };
  }
}
