package io.ensemble.rest.resource.operation;

import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.rest.resource.context.ResourceLinks;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Operations that this service carries out by itself: recoveries of sites and clears of caches. The
 * catalog has no record of them, so only this service reports them, and they end with it. Each may
 * be repeated. The last {@value #MOST} are kept. Thread-safe.
 */
public final class ServiceOperations {

  private static final Logger LOG = LoggerFactory.getLogger(ServiceOperations.class);
  private static final int MOST = 256;

  private final BlockingTaskPool workers;

  /** In the order of their beginning; guarded by this object's lock. */
  private final Map<String, ServiceOperation> operations = new LinkedHashMap<>();

  public ServiceOperations(BlockingTaskPool workers) {
    this.workers = workers;
  }

  /**
   * Begins an operation on a worker, or joins the one that is running.
   *
   * @param settings what the request asks for
   * @param work blocks; its failure becomes the result of the operation
   * @return 202 with the operation
   * @throws ProblemException if an operation with other settings is running
   * @throws RejectedExecutionException if too many are waiting; nothing was done
   */
  public RestResponse begin(
      OperationId id, Map<String, Object> settings, Consumer<ServiceOperation> work) {
    ServiceOperation operation = new ServiceOperation(id, settings);
    ServiceOperation running = register(operation);
    if (running == operation) {
      try {
        workers.run(id.kind().word(), () -> perform(operation, work));
      } catch (RejectedExecutionException busy) {
        remove(operation);
        throw busy;
      }
    }
    return RestResponse.json(202, running.describe())
        .with("Location", ResourceLinks.operation(id.text()));
  }

  /** Keeps the operation, and returns it; or returns the one that is running. */
  private synchronized ServiceOperation register(ServiceOperation operation) {
    String id = operation.id().text();
    ServiceOperation previous = operations.get(id);
    if (previous != null && previous.isRunning()) {
      if (!previous.settings().equals(operation.settings())) {
        throw Problem.of(
            ProblemType.CONFLICT, "the operation is running with other settings; operation=" + id);
      }
      return previous;
    }
    operations.remove(id); // The new one is the last in the order.
    Iterator<ServiceOperation> oldestFirst = operations.values().iterator();
    while (operations.size() >= MOST && oldestFirst.hasNext()) {
      if (!oldestFirst.next().isRunning()) {
        oldestFirst.remove();
      }
    }
    if (operations.size() >= MOST) {
      throw new RejectedExecutionException("too many operations are running");
    }
    operations.put(id, operation);
    return operation;
  }

  private synchronized void remove(ServiceOperation operation) {
    operations.remove(operation.id().text(), operation);
  }

  private static void perform(ServiceOperation operation, Consumer<ServiceOperation> work) {
    try {
      work.accept(operation);
      operation.finish();
      LOG.info("an operation is done; operation={}", operation.id().text());
    } catch (RuntimeException | Error e) { // An operation must not be running for ever.
      operation.fail(ProblemMapper.toUserProblem(e));
      LOG.warn("an operation failed; operation={}", operation.id().text(), e);
    }
  }

  /** The operation of that id, running or among the last ones. */
  synchronized Optional<ServiceOperation> find(OperationId id) {
    return Optional.ofNullable(operations.get(id.text()));
  }

  /** The operations in progress as documents, by their ids. */
  public Map<String, Map<String, Object>> describeRunning() {
    Map<String, Map<String, Object>> documents = new TreeMap<>();
    running().forEach(operation -> documents.put(operation.id().text(), operation.describe()));
    return documents;
  }

  /** The operations in progress. */
  synchronized List<ServiceOperation> running() {
    return new ArrayList<>(operations.values())
        .stream().filter(ServiceOperation::isRunning).toList();
  }
}
