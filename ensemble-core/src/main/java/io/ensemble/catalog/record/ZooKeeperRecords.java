package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.ZnodeOperations.Change;
import io.ensemble.catalog.record.ZnodeOperations.Node;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Records as nodes of ZooKeeper: {@code PATH/id} and {@code PATH/KIND/NAME}.
 *
 * <p>No node is ever deleted. A deleted record leaves an empty node, its grave, whose version
 * continues. The versions of a node that is created anew would begin at 0, and a change that began
 * before could match one of them.
 */
public final class ZooKeeperRecords implements CatalogRecords, AutoCloseable {

  private static final int SESSION_MILLIS = 15_000;
  private static final int CONNECTION_MILLIS = 5_000;
  private static final int TRIES = 5;
  private static final int NO_NODE = -1;
  private static final Bytes GRAVE = Bytes.of();

  private final ZnodeOperations znodeOperations;
  private final String path;
  private final Runnable closing;
  private volatile @Nullable String known;

  public ZooKeeperRecords(ZnodeOperations znodeOperations, String path, Runnable closing) {
    this.znodeOperations = znodeOperations;
    this.path = path;
    this.closing = closing;
  }

  public static ZooKeeperRecords at(ZooKeeperAccess access) {
    CuratorFramework curator = client(access);
    curator.start();
    return new ZooKeeperRecords(new CuratorZnodes(curator), access.path(), curator::close);
  }

  /** A client that is not started yet. */
  public static CuratorFramework client(ZooKeeperAccess access) {
    List<ACL> owners = access.isSomebody() ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
    CuratorFrameworkFactory.Builder building =
        CuratorFrameworkFactory.builder()
            .connectString(access.servers())
            .ensembleTracker(false)
            .sessionTimeoutMs(SESSION_MILLIS)
            .connectionTimeoutMs(CONNECTION_MILLIS)
            // A change must not be repeated without a read before.
            .retryPolicy(new RetryNTimes(0, 0))
            .zkClientConfig(access.settings())
            .aclProvider(new UniformAclProvider(owners));
    access.user().ifPresent(user -> building.authorization("digest", user));
    return building.build();
  }

  /** All nodes that are written have the same owners. */
  private record UniformAclProvider(List<ACL> owners) implements ACLProvider {

    @Override
    public List<ACL> getDefaultAcl() {
      return owners;
    }

    @Override
    public List<ACL> getAclForPath(String path) {
      return owners;
    }
  }

  @Override
  public CompletionStage<String> id() {
    String id = known;
    return id != null ? CompletableFuture.completedFuture(id) : firstId(TRIES);
  }

  private CompletionStage<String> firstId(int tries) {
    return storedId()
        .thenCompose(
            stored ->
                stored.isPresent()
                    ? CompletableFuture.completedFuture(stored.get())
                    : settled(
                            znodeOperations.create(
                                path + "/id", (CatalogIds.random() + "\n").getBytes(UTF_8)))
                        .thenCompose(done -> again(tries, () -> firstId(tries - 1))))
        .thenApply(this::learned);
  }

  /** Keeps the first id that was found, because all records found since belong to that catalog. */
  private synchronized String learned(String id) {
    String first = known;
    if (first != null) {
      return first;
    }
    known = id;
    return id;
  }

  /** Determines the catalog's id before any record is read; there may be none yet. */
  private CompletionStage<Void> met() {
    return known != null
        ? CompletableFuture.completedFuture(null)
        : storedId().thenAccept(stored -> stored.ifPresent(this::learned));
  }

  private CompletionStage<Optional<String>> storedId() {
    return znodeOperations
        .read(path + "/id")
        .thenApply(
            node ->
                node.map(
                    read -> {
                      String id = new String(read.data(), UTF_8).trim();
                      if (!CatalogIds.isOne(id)) {
                        throw new CatalogException(
                            Reason.CORRUPT,
                            "the id of the catalog cannot be read; path=" + path + "/id");
                      }
                      return id;
                    }));
  }

  @Override
  public CompletionStage<Optional<VersionedRecord>> get(Kind kind, String name) {
    return met()
        .thenCompose(met -> place(kind, name))
        .thenCompose(
            held -> {
              Optional<VersionedRecord> record = held.filter(there -> !there.text().equals(GRAVE));
              return record.isPresent()
                  ? met().thenApply(met -> record) // The catalog may have been created only now.
                  : isSameCatalog().thenApply(same -> record);
            });
  }

  /** The record, or its grave; empty if there never was one. */
  private CompletionStage<Optional<VersionedRecord>> place(Kind kind, String name) {
    return znodeOperations
        .read(where(kind, name))
        .thenApply(
            node -> node.map(read -> new VersionedRecord(Bytes.of(read.data()), read.version())));
  }

  /**
   * If there is no record, checks that the catalog is still there: another one may be in its place,
   * or none.
   */
  private CompletionStage<Void> isSameCatalog() {
    String id = known;
    return id == null
        ? CompletableFuture.completedFuture(null)
        : storedId()
            .thenAccept(
                stored -> {
                  if (!stored.equals(Optional.of(id))) {
                    throw new CatalogException(
                        Reason.UNAVAILABLE,
                        "the catalog was removed or replaced; path=%s expected=%s found=%s"
                            .formatted(path, id, stored.orElse("none")));
                  }
                });
  }

  @Override
  public CompletionStage<SortedSet<String>> list(Kind kind) {
    String above = path + "/" + kind.word();
    return met()
        .thenCompose(met -> znodeOperations.children(above))
        .thenCompose(
            children ->
                StageList.all(
                        children.stream()
                            .map(child -> znodeOperations.read(above + "/" + child))
                            .toList())
                    .thenCompose(read -> isSameCatalog().thenApply(same -> names(children, read))));
  }

  private static SortedSet<String> names(List<String> children, List<Optional<Node>> read) {
    SortedSet<String> names = new TreeSet<>();
    for (int i = 0; i < children.size(); i++) {
      if (read.get(i).filter(node -> node.data().length > 0).isPresent()) {
        names.add(FileNames.cache(children.get(i)));
      }
    }
    return names;
  }

  @Override
  public CompletionStage<Boolean> create(Kind kind, String name, Bytes text) {
    return id().thenCompose(id -> place(kind, name))
        .thenCompose(
            found ->
                found.filter(held -> !held.text().equals(GRAVE)).isPresent()
                    ? CompletableFuture.completedFuture(false)
                    : isSameCatalog() // The empty node may belong to another catalog.
                        .thenCompose(
                            same ->
                                new ConditionalPut(where(kind, name), found, text)
                                    .put(TRIES, false)));
  }

  @Override
  public CompletionStage<Boolean> replace(
      Kind kind, String name, VersionedRecord seen, Bytes text) {
    return new ConditionalPut(where(kind, name), Optional.of(seen), text).put(TRIES, false);
  }

  @Override
  public CompletionStage<Boolean> delete(Kind kind, String name, VersionedRecord seen) {
    return new ConditionalPut(where(kind, name), Optional.of(seen), GRAVE).put(TRIES, false);
  }

  /** Replaces {@code seen} by a text, or creates a node where there never was one. */
  private final class ConditionalPut {

    private final String node;
    private final int before;
    private final Bytes text;

    ConditionalPut(String node, Optional<VersionedRecord> seen, Bytes text) {
      this.node = node;
      this.before = seen.map(held -> (int) held.version()).orElse(NO_NODE);
      this.text = text;
    }

    /**
     * @param lost whether the answer to an earlier attempt was lost
     */
    CompletionStage<Boolean> put(int tries, boolean lost) {
      byte[] data = text.array();
      return settled(
              before == NO_NODE
                  ? znodeOperations.create(node, data)
                  : znodeOperations.write(node, data, before))
          .thenCompose(
              change -> {
                if (change.isPresent() && (change.get() == Change.DONE || !lost)) {
                  return CompletableFuture.completedFuture(change.get() == Change.DONE);
                }
                return unheard(tries);
              });
    }

    /**
     * Determines the result after an answer was lost. Once a server has answered by a new
     * connection, no request of the old one is executed any more. The version that is read is
     * therefore conclusive, unless other processes have changed the node since. If the node cannot
     * be read, the result is unknown.
     */
    private CompletionStage<Boolean> unheard(int tries) {
      return unknownIfFailed(lookedUp(tries));
    }

    private CompletionStage<Boolean> lookedUp(int tries) {
      return znodeOperations
          .read(node)
          .thenCompose(
              now -> {
                int version = now.map(Node::version).orElse(NO_NODE);
                if (version == before) {
                  return again(tries, () -> put(tries - 1, true));
                }
                return version == before + 1
                    ? CompletableFuture.completedFuture(Bytes.of(now.get().data()).equals(text))
                    : CompletableFuture.failedFuture(
                        new CatalogException(
                            Reason.UNKNOWN,
                            "the response of ZooKeeper was lost, and the record has changed since; "
                                + "path="
                                + node));
              });
    }

    private <T> CompletionStage<T> unknownIfFailed(CompletionStage<T> lookedUp) {
      return lookedUp
          .handle(
              (done, thrown) -> {
                if (thrown == null) {
                  return lookedUp;
                }
                Throwable why = CompletionCause.of(thrown);
                boolean told = why instanceof CatalogException e && e.reason() == Reason.UNKNOWN;
                return CompletableFuture.<T>failedFuture(
                    told
                        ? why
                        : new CatalogException(
                            Reason.UNKNOWN,
                            "the response of ZooKeeper was lost, and ZooKeeper does not answer; "
                                + "path="
                                + node,
                            why));
              })
          .thenCompose(Function.identity());
    }
  }

  @Override
  public String where(Kind kind, String name) {
    return path + "/" + kind.word() + "/" + FileNames.of(name);
  }

  /** Empty if the answer was lost; the result is then determined by reading. */
  private static CompletionStage<Optional<Change>> settled(CompletionStage<Change> change) {
    return change
        .handle(
            (done, thrown) -> {
              if (thrown == null) {
                return CompletableFuture.completedFuture(Optional.of(done));
              }
              return CompletionCause.of(thrown) instanceof CatalogException why
                      && why.reason() == Reason.UNKNOWN
                  ? CompletableFuture.completedFuture(Optional.<Change>empty())
                  : CompletableFuture.<Optional<Change>>failedFuture(CompletionCause.of(thrown));
            })
        .thenCompose(Function.identity());
  }

  private static <T> CompletionStage<T> again(int tries, Supplier<CompletionStage<T>> step) {
    return tries > 1
        ? step.get()
        : CompletableFuture.failedFuture(
            new CatalogException(
                Reason.UNKNOWN,
                "the response of ZooKeeper was lost at each attempt; tries=" + TRIES));
  }

  @Override
  public void close() {
    closing.run();
  }
}
