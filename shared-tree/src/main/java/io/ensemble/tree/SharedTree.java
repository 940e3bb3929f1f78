package io.ensemble.tree;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.tree.runtime.ObjectSequencer;
import io.ensemble.tree.runtime.PageCache;
import io.ensemble.tree.runtime.PageStore;
import io.ensemble.tree.state.OwnerUsage;
import io.ensemble.tree.state.TreeSnapshot;
import io.ensemble.tree.state.TreeState;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * A tree of nodes, shared by name between all processes that have a factory on the same store. A
 * node has a path, a value and permissions.
 *
 * <p>Transactions are strictly serializable: all take effect one after another, each between its
 * call and its return. A transaction is restarted only if another one, committed meanwhile, wrote
 * what it had read. Transactions in different parts of the tree never conflict. Each method other
 * than {@code transact} and {@code commit} is one transaction.
 *
 * <p>A transaction that only reads costs one read of the store, and one for each page that is not
 * cached. One that writes costs one step of an {@link AtomicObjectFactory atomic object} more.
 * Thread-safe. All methods block, and must not be called on threads of the store or the factory.
 *
 * <p>"OXenstored: An Efficient Hierarchical and Transactional Database using Functional Programming
 * with Reference Cell Comparisons", sections 2 and 6.
 */
public final class SharedTree implements AutoCloseable {

  /** The user who may do everything, without quota. */
  public static final String ADMINISTRATOR = "admin";

  /** How often a tree is created whose name is that of a tree that is being deleted. */
  private static final int OPENINGS = 5;

  private final TreeClient client;
  private final String user;
  private final boolean isFirst;

  private SharedTree(TreeClient client, String user, boolean isFirst) {
    this.client = client;
    this.user = user;
    this.isFirst = isFirst;
  }

  /** Opens a tree as the administrator, with default options; creates it if there is none. */
  public static SharedTree open(AtomicObjectFactory factory, String name) {
    return builder(factory, name).open();
  }

  /** Returns the options of a handle on a tree. */
  public static SharedTreeBuilder builder(AtomicObjectFactory factory, String name) {
    return new SharedTreeBuilder(factory, name);
  }

  static SharedTree opened(SharedTreeBuilder options, boolean create) {
    AtomicObjectFactory factory = options.factory;
    for (int attempt = 1; ; attempt++) {
      ObjectSequencer sequencer =
          create
              ? ObjectSequencer.openOrCreate(
                  factory,
                  options.name,
                  TreeState.create(
                      UUID.randomUUID().toString(), options.settings, options.rootPermissions))
              : ObjectSequencer.open(factory, options.name);
      try {
        return opened(options, sequencer);
      } catch (TreeException.NoSuchTree deleted) {
        sequencer.close();
        if (!create) {
          throw deleted;
        }
        if (attempt == OPENINGS) {
          throw new TreeException.NotApplied("a tree of this name is being deleted", deleted);
        }
        delete(factory, options.name); // A process that deleted it may have died meanwhile.
      } catch (RuntimeException e) {
        sequencer.close();
        throw e;
      }
    }
  }

  private static SharedTree opened(SharedTreeBuilder options, ObjectSequencer sequencer) {
    AtomicObjectFactory factory = options.factory;
    TreeState state = sequencer.read();
    PageStore pages =
        new PageStore(
            factory.store(),
            factory.clockwork(),
            state.birth(),
            options.pageCache().pages,
            options.timeout);
    return new SharedTree(
        new TreeClient(options, sequencer, pages, state.settings()), options.user, true);
  }

  /**
   * Deletes a tree with all its nodes, for all processes. Costs an iteration over all keys of the
   * store. If the process dies meanwhile, the tree is deleted, but some of its entries stay until
   * this method is called again, or until a tree of that name is created.
   *
   * @return false if there is no tree, or if it was deleted before
   */
  public static boolean delete(AtomicObjectFactory factory, String name) {
    return ObjectSequencer.delete(
        factory,
        name,
        birth ->
            new PageStore(
                    factory.store(),
                    factory.clockwork(),
                    birth,
                    new PageCache(1),
                    factory.timeout())
                .removeEverything());
  }

  /** The user of this handle. */
  public String user() {
    return user;
  }

  /** The settings with which the tree was created. */
  public TreeSettings settings() {
    return client.settings();
  }

  /**
   * A handle of another user on the same tree, sharing what this one has cached. The name is not
   * verified: every client with access to the store is trusted. It is closed with this handle.
   */
  public SharedTree as(String other) {
    NodePermissions.checkUser(other);
    return new SharedTree(client, other, false);
  }

  /**
   * Runs a transaction and commits its changes. The body is run again if it conflicts with a change
   * of another transaction, so it must have no effects but those on the transaction. An exception
   * of the body ends the transaction without effect.
   *
   * @return what the body returned in the attempt that was committed
   * @throws TreeException.Conflicts if each attempt conflicted with a change
   * @throws TreeException.LimitExceeded if it would exceed a quota or a limit
   * @throws TreeException.NotApplied if the store does not answer; not committed
   * @throws TreeException.Unknown if the commit's outcome is unknown
   */
  public <T> T transact(Function<? super TreeTransaction, ? extends T> body) {
    return this.<T>commit(body).value();
  }

  /** As {@link #transact}; the result also has the numbers of the commits. */
  public <T> TreeResult<T> commit(Function<? super TreeTransaction, ? extends T> body) {
    return client.run(user, body);
  }

  /** Reads the value of a node, which is not to be changed; empty if there is no node. */
  public Optional<byte[]> read(String path) {
    return transact(t -> t.read(path));
  }

  /** Reads a node; empty if there is none. */
  public Optional<TreeNode> node(String path) {
    return transact(t -> t.node(path));
  }

  /** Whether there is a node. */
  public boolean exists(String path) {
    return transact(t -> t.exists(path));
  }

  /**
   * Lists the names of the children of a node, in order.
   *
   * @throws TreeException.NoSuchNode if there is no node
   */
  public List<String> children(String path) {
    return transact(t -> t.children(path));
  }

  /**
   * Sets the value of a node; creates it, and missing nodes above it, if there is none.
   *
   * @return the number of the commit
   */
  public long write(String path, byte[] value) {
    return commit(
            t -> {
              t.write(path, value);
              return true;
            })
        .commit();
  }

  /**
   * Creates a node, and missing nodes above it.
   *
   * @return the number of the commit
   * @throws TreeException.NodeExists if there is one
   */
  public long create(String path, byte[] value) {
    return commit(
            t -> {
              t.create(path, value);
              return true;
            })
        .commit();
  }

  /**
   * Removes a node and all nodes below it.
   *
   * @return false if there is no node
   */
  public boolean remove(String path) {
    return transact(t -> t.remove(path));
  }

  /** Sets the permissions of a node. */
  public void setPermissions(String path, NodePermissions permissions) {
    transact(
        t -> {
          t.setPermissions(path, permissions);
          return true;
        });
  }

  /** Sets the quota of an owner. Only for the administrator. */
  public void setQuota(String owner, long nodes, long bytes) {
    transact(
        t -> {
          t.setQuota(owner, nodes, bytes);
          return true;
        });
  }

  /** What an owner's nodes take, and may take. */
  public TreeUsage usage(String owner) {
    TreeSnapshot snapshot = client.snapshot();
    OwnerUsage used = snapshot.usage(owner);
    OwnerUsage quota = snapshot.quota(owner);
    return new TreeUsage(used.nodes(), used.bytes(), quota.nodes(), quota.bytes());
  }

  /** The number of commits so far. */
  public long lastCommit() {
    return client.snapshot().state().last();
  }

  /**
   * Reports each later commit that changes the node or one below it: once, after it, in the order
   * of commits. There need not be a node. Changes of nodes that the user may not read are not
   * reported; neither are those of removed nodes below a node that the user may not read.
   *
   * @throws TreeException.LimitExceeded if the user has too many watches in this process
   */
  public TreeWatch watch(String path, TreeListener listener) {
    return client.watch(user, TreePath.of(path), listener);
  }

  /**
   * Writes a planned checkpoint, if no process has done so; otherwise without effect. Clients do
   * this by themselves.
   */
  public void checkpoint() {
    client.checkpoint();
  }

  /** Ends the watches, and closes the tree for this handle. The tree remains. */
  @Override
  public void close() {
    if (isFirst) {
      client.close();
    }
  }
}
