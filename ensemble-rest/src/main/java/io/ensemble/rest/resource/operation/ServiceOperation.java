package io.ensemble.rest.resource.operation;

import io.ensemble.rest.http.Problem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The progress of an operation that this service carries out by itself. Thread-safe. */
public final class ServiceOperation {

  private final OperationId id;
  private final Map<String, Object> settings;

  // All fields below are guarded by this object's lock.
  private final Map<String, Object> progress = new LinkedHashMap<>();
  private final List<Object> results = new ArrayList<>();
  private String state = "running";

  /**
   * @param settings what the request asked for
   */
  ServiceOperation(OperationId id, Map<String, Object> settings) {
    this.id = id;
    this.settings = Map.copyOf(settings);
  }

  OperationId id() {
    return id;
  }

  Map<String, Object> settings() {
    return settings;
  }

  synchronized boolean isRunning() {
    return state.equals("running");
  }

  /** Adds the result for one thing. */
  public synchronized void addResult(Map<String, Object> result) {
    results.add(result);
    progress.put("results", List.copyOf(results));
  }

  /** Replaces a member of the response. */
  public synchronized void setProgress(String member, Object value) {
    progress.put(member, value);
  }

  synchronized void finish() {
    state = "done";
  }

  synchronized void fail(Problem problem) {
    state = "failed";
    progress.put("problem", problem.type().uri());
    progress.put("detail", problem.detail());
  }

  synchronized Map<String, Object> describe() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", id.text());
    document.put("kind", id.kind().word());
    document.put(id.kind().isOfSite() ? "site" : "cache", id.name());
    document.put("state", state);
    document.putAll(progress);
    return document;
  }
}
