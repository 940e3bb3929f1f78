package io.ensemble.catalog.record;

import io.ensemble.catalog.record.CatalogException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;

/**
 * Asynchronous requests. Stages complete on Curator's thread. A request waits some seconds for a
 * connection; reads whose answers are lost are repeated.
 */
public final class CuratorZnodes implements ZnodeOperations {

  private static final int READS = 2;

  private final CuratorFramework curator;

  public CuratorZnodes(CuratorFramework curator) {
    this.curator = curator;
  }

  @Override
  public CompletionStage<Optional<Node>> read(String path) {
    return asked(path, back -> curator.getData().inBackground(back).forPath(path))
        .thenApply(
            event ->
                switch (code(event)) {
                  case OK -> Optional.of(new Node(event.getData(), event.getStat().getVersion()));
                  case NONODE -> Optional.empty();
                  default -> throw unavailable(event);
                });
  }

  @Override
  public CompletionStage<List<String>> children(String path) {
    return asked(path, back -> curator.getChildren().inBackground(back).forPath(path))
        .thenApply(
            event ->
                switch (code(event)) {
                  case OK -> event.getChildren();
                  case NONODE -> List.of();
                  default -> throw unavailable(event);
                });
  }

  private CompletionStage<CuratorEvent> asked(String path, Request read) {
    return again(() -> synced(path, read), READS);
  }

  private static CompletionStage<CuratorEvent> again(
      Supplier<CompletionStage<CuratorEvent>> question, int times) {
    return question
        .get()
        .thenCompose(
            event ->
                isLost(code(event)) && times > 1
                    ? again(question, times - 1)
                    : CompletableFuture.completedFuture(event));
  }

  /**
   * Reads after a sync, so that a server that lags behind returns at least the state at the time of
   * the request.
   */
  private CompletionStage<CuratorEvent> synced(String path, Request read) {
    return ask(back -> curator.sync().inBackground(back).forPath(path))
        .thenCompose(
            event ->
                code(event) == Code.OK || code(event) == Code.NONODE
                    ? ask(read)
                    : CompletableFuture.completedFuture(event));
  }

  @Override
  public CompletionStage<Change> create(String path, byte[] data) {
    return ask(back ->
            curator.create().creatingParentsIfNeeded().inBackground(back).forPath(path, data))
        .thenApply(event -> changed(event, Code.NODEEXISTS));
  }

  @Override
  public CompletionStage<Change> write(String path, byte[] data, int version) {
    return ask(back ->
            curator.setData().withVersion(version).inBackground(back).forPath(path, data))
        .thenApply(event -> changed(event, Code.BADVERSION));
  }

  private Change changed(CuratorEvent event, Code notSo) {
    Code code = code(event);
    if (code == Code.OK) {
      return Change.DONE;
    }
    if (code == notSo || code == Code.NONODE) {
      return Change.NOT_SO;
    }
    throw isLost(code)
        ? new CatalogException(Reason.UNKNOWN, "the response of ZooKeeper was lost; " + what(event))
        : unavailable(event);
  }

  private static boolean isLost(Code code) {
    return code == Code.CONNECTIONLOSS
        || code == Code.OPERATIONTIMEOUT
        || code == Code.REQUESTTIMEOUT
        || code == Code.SESSIONEXPIRED
        || code == Code.SESSIONMOVED
        || code == Code.SYSTEMERROR;
  }

  private CatalogException unavailable(CuratorEvent event) {
    Code code = code(event);
    boolean refused = code == Code.NOAUTH || code == Code.AUTHFAILED;
    return new CatalogException(
        refused ? Reason.NOT_ALLOWED : Reason.UNAVAILABLE,
        (isLost(code) ? "ZooKeeper does not answer; " : "ZooKeeper rejected the request; ")
            + what(event));
  }

  private String what(CuratorEvent event) {
    return "servers=%s what=%s path=%s answer=%s"
        .formatted(
            curator.getZookeeperClient().getCurrentConnectionString(),
            event.getType(),
            event.getPath(),
            code(event));
  }

  private static Code code(CuratorEvent event) {
    Code code = Code.get(event.getResultCode());
    return code == null ? Code.SYSTEMERROR : code;
  }

  private interface Request {
    void begin(BackgroundCallback back) throws Exception;
  }

  private static CompletionStage<CuratorEvent> ask(Request request) {
    CompletableFuture<CuratorEvent> answer = new CompletableFuture<>();
    try {
      request.begin((client, event) -> answer.complete(event));
    } catch (Exception e) {
      // Curator declares no more specific exception; the request was not sent.
      answer.completeExceptionally(
          new CompletionException(
              new CatalogException(
                  Reason.UNAVAILABLE, "the request was not sent to ZooKeeper: " + e, e)));
    }
    return answer;
  }
}
