package io.ensemble.rest.jetty;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.PercentEncoding;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteTable;
import io.ensemble.rest.http.StreamingBody;
import io.ensemble.rest.trace.RequestTrace;
import io.ensemble.rest.trace.RequestTracer;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Takes requests from Jetty and returns the responses. Bounds the requests in progress and the
 * bytes of their bodies.
 */
public final class RestHandler extends Handler.Abstract.NonBlocking {

  private static final int EMPTY_OBJECT = 16;
  private static final Duration LONGEST_LEFTOVER = Duration.ofSeconds(5);

  /** The attribute with the caller for which a request's bytes are reserved. */
  private static final String CALLER = RestHandler.class.getName() + ".caller";

  private static final byte[] NOTHING = {};

  /** A single caller may hold this part of all bytes. */
  private static final int SHARE = 4;

  private final RouteTable routeTable;
  private final RequestAuthorizer requestAuthorizer;
  private final RequestTracer requestTracer;
  private final int maxRequests;
  private final Duration drainTimeout;
  private final RequestBodyReader requestBodyReader;
  private final ResponseWriter responseWriter;
  private final AtomicInteger requests = new AtomicInteger();
  private volatile boolean isStopping;

  /**
   * @param requestTracer traces each request
   * @param maxRequests the maximum number of requests in progress; requests that need no
   *     authentication are not counted
   * @param maxBytes the maximum number of bytes of request bodies held, and the same for responses
   * @param longResponseBytes the longest body; one caller may hold one body, or a quarter of all
   *     bytes
   * @param timeout how long a client may take to send a body
   */
  public RestHandler(
      RouteTable routeTable,
      RequestAuthorizer requestAuthorizer,
      RequestTracer requestTracer,
      int maxRequests,
      long maxBytes,
      int longResponseBytes,
      Duration timeout) {
    this.routeTable = routeTable;
    this.requestAuthorizer = requestAuthorizer;
    this.requestTracer = requestTracer;
    this.maxRequests = maxRequests;
    this.drainTimeout = timeout.compareTo(LONGEST_LEFTOVER) < 0 ? timeout : LONGEST_LEFTOVER;
    long maxBytesPerCaller = Math.max(maxBytes / SHARE, longResponseBytes);
    this.requestBodyReader =
        new RequestBodyReader(new ByteBudget(maxBytes, maxBytesPerCaller), timeout);
    this.responseWriter =
        new ResponseWriter(new ByteBudget(maxBytes, maxBytesPerCaller), longResponseBytes, timeout);
  }

  /** Rejects all further requests, because the service is stopping. */
  public void refuse() {
    isStopping = true;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    RequestTrace trace =
        requestTracer.begin(
            request.getMethod(), isOverTls(request), request.getHeaders()::getValuesList);
    Runnable release = () -> {};
    RestRoute route = null;
    CompletionStage<RestResponse> answer;
    try {
      RouteTable.Found match = routeTable.find(request.getMethod(), path(request));
      route = match.route();
      trace.found(route.path(), match.parameters().get("cache"));
      if (route.role() != Role.NONE) {
        release = acquirePlace();
      }
      answer = authorize(request, match, trace);
    } catch (RuntimeException | Error e) { // An error must not keep the request counted forever.
      answer = CompletableFuture.failedFuture(e);
    }
    Runnable releasePlace = release;
    Callback whenSent = Callback.from(callback, releasePlace);
    boolean changes = route != null && (route.role() == Role.WRITE || route.role() == Role.ADMIN);
    answer.whenComplete(
        (reply, failure) -> {
          try {
            Problem problem = failure == null ? null : ProblemMapper.problem(failure);
            RestResponse sent =
                problem == null ? reply : problem.reply(request.getHttpURI().getPathQuery());
            trace.end(sent.status(), problem == null ? null : problem.type());
            Runnable sendTask = () -> sendOrFail(request, response, sent, changes, whenSent);
            if (problem == null || hasNoBody(request) || RequestBodyReader.hasBegun(request)) {
              sendTask.run();
            } else {
              // A rejected request occupies no place, however slowly its client sends.
              releasePlace.run();
              UnreadBodyDrain.drain(request, drainTimeout, sendTask);
            }
          } catch (RuntimeException | Error e) { // Otherwise the request would never end.
            whenSent.failed(e);
          }
        });
    return true;
  }

  private void sendOrFail(
      Request request, Response response, RestResponse reply, boolean changes, Callback callback) {
    try {
      send(request, response, reply, changes, callback);
    } catch (RuntimeException | Error e) { // Otherwise the request would never end.
      abandon(reply.streamingBody());
      callback.failed(e);
    }
  }

  private static void abandon(@Nullable StreamingBody streamingBody) {
    if (streamingBody != null) {
      streamingBody.abandon();
    }
  }

  /**
   * Counts one more request in progress, until the returned task runs; running the task again has
   * no effect.
   */
  private Runnable acquirePlace() {
    if (requests.incrementAndGet() > maxRequests) {
      requests.decrementAndGet();
      throw busy("at most %d requests are processed at a time".formatted(maxRequests));
    }
    AtomicBoolean released = new AtomicBoolean();
    return () -> {
      if (released.compareAndSet(false, true)) {
        requests.decrementAndGet();
      }
    };
  }

  private CompletionStage<RestResponse> authorize(
      Request request, RouteTable.Found match, RequestTrace trace) {
    if (isStopping) {
      throw Problem.of(ProblemType.NOT_READY, "the service is stopping; nothing was done");
    }
    RequestHead head = head(request, match.parameters());
    RestRoute route = match.route();
    return requestAuthorizer.authorize(
        head,
        route,
        caller -> mapFailures(caller, () -> handleAuthorized(request, route, head, caller, trace)));
  }

  private CompletionStage<RestResponse> handleAuthorized(
      Request request, RestRoute route, RequestHead head, RestCaller caller, RequestTrace trace) {
    request.setAttribute(CALLER, caller.name());
    if (hasNoBody(request)) {
      return trace.of(
          () -> route.handler().answer(new AuthorizedRequest(route.id(), head, caller, NOTHING)));
    }
    int maxBodyBytes =
        Math.max(route.maxBodyBytes(), route.method() == HttpMethod.POST ? EMPTY_OBJECT : 0);
    return requestBodyReader
        .readBody(request, maxBodyBytes, caller.name())
        .thenCompose(
            body -> {
              if (body.length > route.maxBodyBytes() && !isEmptyObject(body)) {
                throw RequestBodyReader.tooLarge(route.maxBodyBytes(), body.length + " bytes");
              }
              return trace.of(
                  () ->
                      route
                          .handler()
                          .answer(new AuthorizedRequest(route.id(), head, caller, body)));
            });
  }

  /**
   * Whether the body is an empty JSON object. Many clients send one with each request that needs no
   * body.
   */
  private static boolean isEmptyObject(byte[] body) {
    return new String(body, StandardCharsets.US_ASCII).replaceAll("[ \\t\\r\\n]", "").equals("{}");
  }

  /** Runs the work, and turns every failure into the problem for this caller. */
  private static CompletionStage<RestResponse> mapFailures(
      RestCaller caller, Supplier<CompletionStage<RestResponse>> work) {
    CompletionStage<RestResponse> answer;
    try {
      answer = work.get();
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (reply, failure) -> {
          if (failure != null) {
            throw new ProblemException(ProblemMapper.problem(failure, caller));
          }
          return reply;
        });
  }

  private static String path(Request request) {
    String path = request.getHttpURI().getPath();
    return path == null ? "" : path;
  }

  private static boolean hasNoBody(Request request) {
    long length = request.getLength();
    return length == 0
        || (length < 0
            && !request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING)
            && isHttp1(request));
  }

  private static boolean isHttp1(Request request) {
    return request.getConnectionMetaData().getHttpVersion().getVersion() < 20;
  }

  private static ProblemException busy(String detail) {
    return new ProblemException(
        Problem.bare(ProblemType.BUSY, detail + "; nothing was done").header("Retry-After", "1"));
  }

  private static RequestHead head(Request request, Map<String, String> parameters) {
    Map<String, List<String>> headers = new HashMap<>();
    for (HttpField field : request.getHeaders()) {
      String value = field.getValue();
      headers
          .computeIfAbsent(field.getName().toLowerCase(Locale.ROOT), name -> new ArrayList<>(1))
          .add(value == null ? "" : value);
    }
    String query = request.getHttpURI().getQuery();
    return new RequestHead(
        request.getMethod(),
        request.getHttpURI().getPathQuery(),
        parameters,
        PercentEncoding.parseQuery(query == null ? "" : query),
        headers,
        isOverTls(request),
        Request.getRemoteAddr(request),
        certificates(request));
  }

  /** Jetty's own answer is what the request line says, which may begin with "https:". */
  private static boolean isOverTls(Request request) {
    return request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE) != null;
  }

  private static List<X509Certificate> certificates(Request request) {
    Object data = request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE);
    if (data instanceof EndPoint.SslSessionData session && session.peerCertificates() != null) {
      return List.of(session.peerCertificates());
    }
    return List.of();
  }

  private void send(
      Request request,
      Response response,
      RestResponse restResponse,
      boolean changes,
      Callback callback) {
    boolean isHead = request.getMethod().equals("HEAD");
    String caller = request.getAttribute(CALLER) instanceof String name ? name : "anonymous";
    RestResponse reply =
        isHead ? restResponse : responseWriter.reserve(restResponse, caller, changes);
    response.setStatus(reply.status());
    reply.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    SecurityHeaders.complete(response.getHeaders());
    boolean isCutOff = isHttp1(request) && !hasNoBody(request) && !request.consumeAvailable();
    if (isCutOff || isStopping) {
      // The rest of the body would be read as the next request, or the service is closing. Without
      // this header, the client would send its next request over this connection.
      response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    }
    StreamingBody streamingBody = reply.streamingBody();
    if (streamingBody != null && !isHead) {
      streamingBody.begin(responseWriter.openStream(response, caller, callback));
      return;
    }
    abandon(streamingBody);
    if (reply.status() != 204 && reply.status() != 304 && streamingBody == null) {
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
    }
    responseWriter.send(request, response, isHead ? NOTHING : reply.body(), caller, callback);
  }
}
