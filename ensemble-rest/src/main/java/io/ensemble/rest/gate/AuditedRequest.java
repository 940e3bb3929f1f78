package io.ensemble.rest.gate;

import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.SettingsChange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One request on its way through the access filter, and its audit lines. */
final class AuditedRequest {

  private static final int DIGEST_BYTES = 8;
  private static final int LONGEST_NAME = 256;
  private static final Set<ProblemType> NOT_LET_IN =
      EnumSet.of(ProblemType.UNAUTHENTICATED, ProblemType.FORBIDDEN, ProblemType.TOO_MANY_REQUESTS);

  private static final CompletionStage<Void> NOTHING_TO_WRITE =
      CompletableFuture.completedStage(null);

  private final RequestHead head;
  private final RestRoute route;
  private final Instant beginTime;
  private volatile @Nullable RestCaller caller;
  private volatile @Nullable String subject;
  private volatile @Nullable SettingsChange change;

  AuditedRequest(RequestHead head, RestRoute route, Instant beginTime) {
    this.head = head;
    this.route = route;
    this.beginTime = beginTime;
  }

  RequestHead head() {
    return head;
  }

  RestRoute route() {
    return route;
  }

  void setCaller(RestCaller caller) {
    this.caller = caller;
  }

  /** Sets the name of the thing that the request creates, if only the body contains the name. */
  void setSubject(String subject) {
    this.subject = subject;
  }

  /** Sets what the request changes into what. */
  void setChange(SettingsChange change) {
    this.change = change;
  }

  /** Whether the request is to change something. */
  boolean isChange() {
    return route.role() == Role.WRITE || route.role() == Role.ADMIN;
  }

  /**
   * Writes a line at the beginning of an administrator's change, so that the change is on record
   * even if the process crashes during it. Completes when the line is written.
   */
  CompletionStage<Void> recordBegin(Audit audit) {
    if (route.role() != Role.ADMIN) {
      return NOTHING_TO_WRITE;
    }
    Map<String, Object> line = createLine();
    line.put("outcome", "begun");
    return audit.recordAuthenticated(line);
  }

  private Map<String, Object> createLine() {
    RestCaller currentCaller = caller;
    String currentSubject = subject;
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("time", beginTime.toString());
    line.put("caller", currentCaller == null ? "anonymous" : shorten(currentCaller.name()));
    line.put("address", head.remote());
    line.put("action", route.id());
    for (String name : new String[] {"cache", "lock", "site", "operation"}) {
      if (head.path().containsKey(name)) {
        line.put(name, shorten(head.path(name)));
      }
    }
    if (currentSubject != null) {
      line.put("name", shorten(currentSubject));
    }
    head.header("Idempotency-Key").ifPresent(key -> line.put("idempotencyKey", digest(key)));
    return line;
  }

  /** Writes a line at the end of a request, if it needs one. Completes when it is written. */
  CompletionStage<Void> recordEnd(
      @Nullable RestResponse restResponse, @Nullable ProblemException failure, Audit audit) {
    boolean isRefused = failure != null && NOT_LET_IN.contains(failure.problem().type());
    if (!isChange() && !isRefused) {
      return NOTHING_TO_WRITE;
    }
    Map<String, Object> line = createLine();
    if (restResponse != null
        && restResponse.headers().containsKey("Location")
        && !route.path().contains("{key}")) {
      line.put("created", restResponse.headers().get("Location"));
    }
    SettingsChange currentChange = change;
    if (currentChange != null && !currentChange.isEmpty()) {
      line.put("from", new TreeMap<>(currentChange.from()));
      line.put("to", new TreeMap<>(currentChange.to()));
    }
    line.put("outcome", outcome(failure));
    if (failure != null) {
      line.put("problem", failure.problem().type().word());
      failure.attemptedUser().ifPresent(name -> line.put("attemptedUser", shorten(name)));
    }
    return caller == null ? audit.recordAnonymous(line) : audit.recordAuthenticated(line);
  }

  /** The outcome; an unexpected failure may have happened after the change. */
  private static String outcome(@Nullable ProblemException failure) {
    if (failure == null) {
      return "done";
    }
    ProblemType type = failure.problem().type();
    return type == ProblemType.UNKNOWN_OUTCOME || type == ProblemType.INTERNAL
        ? "unknown"
        : "refused";
  }

  private static String shorten(String name) {
    return name.length() > LONGEST_NAME ? name.substring(0, LONGEST_NAME) + "…" : name;
  }

  private static String digest(String key) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
