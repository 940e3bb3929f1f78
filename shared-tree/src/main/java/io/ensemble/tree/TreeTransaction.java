package io.ensemble.tree;

import io.ensemble.tree.state.ChangedTree;
import io.ensemble.tree.state.CommitComparison;
import io.ensemble.tree.state.CommitRequest;
import io.ensemble.tree.state.CommitRequest.QuotaClaim;
import io.ensemble.tree.state.NodeRecord;
import io.ensemble.tree.state.OwnerRecords;
import io.ensemble.tree.state.OwnerUsage;
import io.ensemble.tree.state.ReadSet;
import io.ensemble.tree.state.TreeChange;
import io.ensemble.tree.state.TreeSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a transaction: reads of a tree as it was after one commit, with the changes of the
 * transaction itself. Nothing is changed for others before the transaction is committed. Not
 * thread-safe, and not to be used after the transaction.
 *
 * <p>Each method fails with {@link TreeException.AccessDenied} if the user may not do what it does.
 * A path that {@link TreePath#of} refuses is an {@link IllegalArgumentException}.
 */
public final class TreeTransaction {

  private final String user;
  private final TreeSettings settings;
  private TreeSnapshot snapshot;
  private final ChangedTree view;
  private final ReadSet reads = new ReadSet();
  private final List<TreeChange> changes = new ArrayList<>();
  private final Map<String, OwnerUsage> usage = new TreeMap<>();
  private int bytes;

  TreeTransaction(String user, TreeSnapshot snapshot) {
    this.user = user;
    this.snapshot = snapshot;
    this.settings = snapshot.state().settings();
    this.view = new ChangedTree(snapshot.view());
  }

  /** The number of the commit after which the tree is read. */
  public long base() {
    return snapshot.state().last();
  }

  /** Reads the value of a node, which is not to be changed; empty if there is no node. */
  public Optional<byte[]> read(String path) {
    TreePath at = TreePath.of(path);
    return Optional.ofNullable(readable(at, ReadSet.RECORD | ReadSet.VALUE)).map(NodeRecord::value);
  }

  /** Reads a node; empty if there is none. */
  public Optional<TreeNode> node(String path) {
    TreePath at = TreePath.of(path);
    return Optional.ofNullable(readable(at, ReadSet.RECORD | ReadSet.VALUE | ReadSet.CHILDREN))
        .map(
            record ->
                new TreeNode(
                    at,
                    record.value(),
                    record.permissions(),
                    record.created(),
                    record.valueSet(),
                    record.childrenChanged()));
  }

  /** Whether there is a node. Needs no access to it. */
  public boolean exists(String path) {
    return found(TreePath.of(path), ReadSet.RECORD) != null;
  }

  /**
   * Reads the number of the last commit that changed a node or one below it, before this
   * transaction. From then on, every change there by others meets this transaction.
   *
   * @throws TreeException.NoSuchNode if there is no node
   */
  public long lastChange(String path) {
    TreePath at = TreePath.of(path);
    if (readable(at, ReadSet.RECORD | ReadSet.SUBTREE) == null) {
      throw new TreeException.NoSuchNode(at);
    }
    return snapshot.lastChange(at);
  }

  /** Reads the permissions of a node; empty if there is none. */
  public Optional<NodePermissions> permissions(String path) {
    return Optional.ofNullable(readable(TreePath.of(path), ReadSet.RECORD))
        .map(NodeRecord::permissions);
  }

  /**
   * Lists the names of the children of a node, in order.
   *
   * @throws TreeException.NoSuchNode if there is no node
   */
  public List<String> children(String path) {
    return children(path, "", Integer.MAX_VALUE);
  }

  /**
   * Lists some names of the children of a node, in order.
   *
   * @param after only names after this one; empty for all
   * @param limit the maximum number of names
   * @throws TreeException.NoSuchNode if there is no node
   * @throws IllegalArgumentException if {@code after} is neither empty nor a name
   */
  public List<String> children(String path, String after, int limit) {
    TreePath parent = TreePath.of(path);
    if (!after.isEmpty()) {
      parent.child(after); // With a separator it would be the path of another node's child.
    }
    if (readable(parent, ReadSet.RECORD | ReadSet.CHILDREN) == null) {
      throw new TreeException.NoSuchNode(parent);
    }
    List<String> names = new ArrayList<>();
    if (limit > 0) {
      view.children(
          parent,
          after,
          child -> {
            names.add(child.name());
            return names.size() < limit;
          });
    }
    return names;
  }

  /** Sets the value of a node; creates it, and missing nodes above it, if there is none. */
  public void write(String path, byte[] value) {
    TreePath at = TreePath.of(path);
    checkValue(value);
    NodeRecord record = found(at, ReadSet.RECORD | ReadSet.VALUE);
    if (record == null) {
      createWithAncestors(at, value);
      return;
    }
    check(at, record, false);
    change(new TreeChange.SetValue(at, value), value.length);
    count(record.permissions().owner(), 0, value.length - record.value().length);
  }

  /**
   * Creates a node, and missing nodes above it.
   *
   * @throws TreeException.NodeExists if there is one
   */
  public void create(String path, byte[] value) {
    TreePath at = TreePath.of(path);
    checkValue(value);
    if (found(at, ReadSet.RECORD) != null) {
      throw new TreeException.NodeExists(at);
    }
    createWithAncestors(at, value);
  }

  private void createWithAncestors(TreePath path, byte[] value) {
    List<TreePath> missing = new ArrayList<>(List.of(path));
    TreePath above = path.parent();
    NodeRecord record = null;
    while (above != null) {
      record = found(above, ReadSet.RECORD);
      if (record != null) {
        break;
      }
      missing.add(0, above);
      above = above.parent();
    }
    if (above == null || record == null) {
      throw new TreeException.NoSuchNode(TreePath.ROOT);
    }
    check(above, record, false);
    NodePermissions inherited = record.permissions();
    NodePermissions permissions = isAdministrator() ? inherited : inherited.ownedBy(user);
    for (TreePath at : missing) {
      byte[] content = at == path ? value : new byte[0];
      change(
          new TreeChange.Create(at, content, permissions),
          content.length + NodeRecord.encodedBytes(permissions));
      count(permissions.owner(), 1, content.length + NodeRecord.listedBytes(permissions));
    }
  }

  /**
   * Removes a node and all nodes below it. Needs write access to the node and to its parent.
   *
   * @return false if there is no node
   * @throws TreeException.LimitExceeded if they are too many
   */
  public boolean remove(String path) {
    TreePath at = TreePath.of(path);
    TreePath parent = at.parent();
    if (parent == null) {
      throw new IllegalArgumentException("the root must not be removed");
    }
    NodeRecord record = found(at, ReadSet.RECORD);
    if (record == null) {
      return false;
    }
    check(at, record, false);
    NodeRecord above = found(parent, ReadSet.RECORD);
    if (above != null) {
      check(parent, above, false);
    }
    reads.add(at, ReadSet.SUBTREE);
    int[] removed = {0};
    Map<String, OwnerUsage> freed = new TreeMap<>();
    view.subtree(
        at,
        below -> {
          if (++removed[0] > settings.maxRemoved()) {
            throw new TreeException.LimitExceeded(
                "a removal must remove at most %d nodes; path=%s"
                    .formatted(settings.maxRemoved(), at));
          }
          NodeRecord gone = view.find(below);
          if (gone != null) {
            freed.merge(
                gone.permissions().owner(),
                OwnerUsage.NONE.plus(-1, -gone.ownedBytes()),
                (one, other) -> one.plus(other));
          }
        });
    change(new TreeChange.Remove(at), 0);
    freed.forEach((owner, less) -> count(owner, less.nodes(), less.bytes()));
    return true;
  }

  /**
   * Sets the permissions of a node. Only its owner and the administrator may do this, and only the
   * administrator may change the owner.
   *
   * @throws TreeException.NoSuchNode if there is no node
   */
  public void setPermissions(String path, NodePermissions permissions) {
    TreePath at = TreePath.of(path);
    NodeRecord record = found(at, ReadSet.RECORD | ReadSet.VALUE);
    if (record == null) {
      throw new TreeException.NoSuchNode(at);
    }
    String owner = record.permissions().owner();
    if (!isAdministrator() && !(user.equals(owner) && permissions.owner().equals(owner))) {
      throw new TreeException.AccessDenied(at, user, "owner's");
    }
    change(new TreeChange.SetPermissions(at, permissions), NodeRecord.encodedBytes(permissions));
    long now = record.value().length + NodeRecord.listedBytes(permissions);
    if (permissions.owner().equals(owner)) {
      count(owner, 0, now - record.ownedBytes());
    } else {
      count(owner, -1, -record.ownedBytes());
      count(permissions.owner(), 1, now);
    }
  }

  /**
   * Sets the quota of an owner: nodes, and the bytes of their values and of the users whom their
   * permissions list. Only for the administrator.
   */
  public void setQuota(String owner, long nodes, long ownedBytes) {
    NodePermissions.checkUser(owner);
    if (!isAdministrator()) {
      throw new TreeException.AccessDenied(TreePath.ROOT, user, "administrator's");
    }
    if (nodes < 0 || ownedBytes < 0) {
      throw new IllegalArgumentException("a quota must not be negative");
    }
    reads.add(OwnerRecords.quotaPath(owner), ReadSet.RECORD);
    change(OwnerRecords.quotaChange(owner, new OwnerUsage(nodes, ownedBytes)), owner.length());
  }

  private boolean isAdministrator() {
    return user.equals(SharedTree.ADMINISTRATOR);
  }

  private @Nullable NodeRecord found(TreePath path, int parts) {
    reads.add(path, parts);
    return view.find(path);
  }

  private @Nullable NodeRecord readable(TreePath path, int parts) {
    NodeRecord record = found(path, parts);
    if (record != null) {
      check(path, record, true);
    }
    return record;
  }

  private void check(TreePath path, NodeRecord record, boolean toRead) {
    NodeAccess access = record.permissions().accessOf(user);
    if (!isAdministrator() && !(toRead ? access.mayRead() : access.mayWrite())) {
      throw new TreeException.AccessDenied(path, user, toRead ? "read" : "write");
    }
  }

  private void checkValue(byte[] value) {
    if (value.length > settings.maxValueBytes()) {
      throw new TreeException.LimitExceeded(
          "a value must have at most %d bytes; got %d"
              .formatted(settings.maxValueBytes(), value.length));
    }
  }

  /** To be called after the change that it counts, which may be refused. */
  private void count(String owner, long nodes, long more) {
    usage.put(owner, usage.getOrDefault(owner, OwnerUsage.NONE).plus(nodes, more));
  }

  private void change(TreeChange change, int size) {
    bytes += size + change.path().encoded().length() + OVERHEAD;
    if (changes.size() == settings.maxChanges() || bytes > settings.maxTransactionBytes()) {
      throw new TreeException.LimitExceeded(
          "a transaction must have at most %d changes and %d bytes"
              .formatted(settings.maxChanges(), settings.maxTransactionBytes()));
    }
    changes.add(change);
    view.apply(change, base() + 1);
  }

  private static final int OVERHEAD = 16;

  boolean hasChanges() {
    return !changes.isEmpty();
  }

  /** The changes so far, in order. */
  List<TreeChange> changes() {
    return changes;
  }

  /** What was read so far. */
  ReadSet reads() {
    return reads;
  }

  TreeSnapshot snapshot() {
    return snapshot;
  }

  /** Whether the transaction would be the same on a later snapshot; then it is moved there. */
  boolean rebase(TreeSnapshot later) {
    if (later.state().compare(base(), snapshot.state().chain()) == CommitComparison.OTHER
        || !later.hasSame(reads, snapshot)) {
      return false;
    }
    snapshot = later;
    return true;
  }

  CommitRequest request() {
    Map<String, QuotaClaim> quotas = new TreeMap<>();
    if (!isAdministrator()) {
      usage.forEach(
          (owner, more) -> {
            if (more.nodes() > 0 || more.bytes() > 0) {
              reads.add(OwnerRecords.quotaPath(owner), ReadSet.RECORD);
              quotas.put(owner, new QuotaClaim(snapshot.usage(owner), snapshot.quota(owner)));
            }
          });
    }
    return new CommitRequest(base(), snapshot.state().chain(), reads, quotas, usage, changes);
  }
}
