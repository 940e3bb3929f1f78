package io.ensemble.catalog;

import io.ensemble.catalog.CatalogException.Reason;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.zookeeper.KeeperException.Code;

/**
 * The requests to ZooKeeper that a catalog is made of, without blocking. Stages complete on
 * Curator's thread, at the latest when its retries are used up; what is not an answer fails with
 * {@link CatalogException}: {@link Reason#UNAVAILABLE} or, of a change, {@link Reason#UNKNOWN}.
 */
final class ZNodes {

  /** A node as it was read. */
  record Node(byte[] data, int version) {}

  /** What the server said of a change. */
  enum Change {
    DONE,
    /** It is there already, or gone, or at another version. */
    NOT_SO
  }

  private final CuratorFramework curator;

  ZNodes(CuratorFramework curator) {
    this.curator = curator;
  }

  /** The node as it is now, whichever server is asked; empty when there is none. */
  CompletionStage<Optional<Node>> read(String path) {
    return synced(path)
        .thenCompose(synced -> ask(back -> curator.getData().inBackground(back).forPath(path)))
        .thenApply(
            event ->
                switch (code(event)) {
                  case OK -> Optional.of(new Node(event.getData(), event.getStat().getVersion()));
                  case NONODE -> Optional.empty();
                  default -> throw unavailable(event);
                });
  }

  /** The names of a node's children; none when it is not there. */
  CompletionStage<List<String>> children(String path) {
    return synced(path)
        .thenCompose(synced -> ask(back -> curator.getChildren().inBackground(back).forPath(path)))
        .thenApply(
            event ->
                switch (code(event)) {
                  case OK -> event.getChildren();
                  case NONODE -> List.of();
                  default -> throw unavailable(event);
                });
  }

  /** So that a server that lags behind answers with what was there when it was asked. */
  private CompletionStage<Void> synced(String path) {
    return ask(back -> curator.sync().inBackground(back).forPath(path))
        .thenAccept(
            event -> {
              if (code(event) != Code.OK && code(event) != Code.NONODE) {
                throw unavailable(event);
              }
            });
  }

  /** Makes a node, and those above it. */
  CompletionStage<Change> create(String path, byte[] data) {
    return ask(back ->
            curator.create().creatingParentsIfNeeded().inBackground(back).forPath(path, data))
        .thenApply(event -> changed(event, Code.NODEEXISTS));
  }

  CompletionStage<Change> write(String path, byte[] data, int version) {
    return ask(back ->
            curator.setData().withVersion(version).inBackground(back).forPath(path, data))
        .thenApply(event -> changed(event, Code.BADVERSION));
  }

  private static Change changed(CuratorEvent event, Code notSo) {
    Code code = code(event);
    if (code == Code.OK) {
      return Change.DONE;
    }
    if (code == notSo || code == Code.NONODE) {
      return Change.NOT_SO;
    }
    throw isLost(code)
        ? new CatalogException(Reason.UNKNOWN, "the answer of ZooKeeper was lost; " + what(event))
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

  private static CatalogException unavailable(CuratorEvent event) {
    Code code = code(event);
    boolean refused = code == Code.NOAUTH || code == Code.AUTHFAILED;
    return new CatalogException(
        refused ? Reason.NOT_ALLOWED : Reason.UNAVAILABLE,
        "ZooKeeper did not do what it was asked; " + what(event));
  }

  private static String what(CuratorEvent event) {
    return "what=%s path=%s answer=%s".formatted(event.getType(), event.getPath(), code(event));
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
    } catch (Exception e) { // Curator declares no other; it was not sent.
      answer.completeExceptionally(
          new CompletionException(
              new CatalogException(Reason.UNAVAILABLE, "ZooKeeper was not asked: " + e, e)));
    }
    return answer;
  }
}
