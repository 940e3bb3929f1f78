package io.ensemble.tree;

import io.ensemble.objects.AtomicObjectFactory;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options of a handle on a tree; each has a default. */
public final class SharedTreeBuilder {

  private static final int MOST_NAME = 200;

  final AtomicObjectFactory factory;
  final String name;
  String user = SharedTree.ADMINISTRATOR;
  TreeSettings settings = TreeSettings.DEFAULT;
  NodePermissions rootPermissions = NodePermissions.of(SharedTree.ADMINISTRATOR, NodeAccess.NONE);
  private static final long USUAL_CACHE_BYTES = 32L << 20;

  private @Nullable TreePageCache pageCache;
  int maxAttempts = 1_000;
  Duration timeout;

  SharedTreeBuilder(AtomicObjectFactory factory, String name) {
    if (name.isEmpty() || name.length() > MOST_NAME) {
      throw new IllegalArgumentException(
          "the name of a tree must have 1 to %d characters; got %d"
              .formatted(MOST_NAME, name.length()));
    }
    this.factory = factory;
    this.name = name;
    this.timeout = factory.timeout();
  }

  /** Sets the user of the handle; by default {@link SharedTree#ADMINISTRATOR}. */
  public SharedTreeBuilder user(String chosen) {
    NodePermissions.checkUser(chosen);
    user = chosen;
    return this;
  }

  /** Sets the limits and sizes of a new tree. An existing tree keeps its own. */
  public SharedTreeBuilder settings(TreeSettings chosen) {
    settings = chosen;
    return this;
  }

  /**
   * Sets the permissions of the root of a new tree; by default, only the administrator has access.
   */
  public SharedTreeBuilder rootPermissions(NodePermissions chosen) {
    rootPermissions = chosen;
    return this;
  }

  /** Sets the memory for copies of pages; by default about 32 MiB. */
  public SharedTreeBuilder cacheBytes(long bytes) {
    pageCache = TreePageCache.ofBytes(bytes);
    return this;
  }

  /** Sets where copies of pages are kept, which other trees may share. */
  public SharedTreeBuilder pageCache(TreePageCache shared) {
    pageCache = shared;
    return this;
  }

  TreePageCache pageCache() {
    return pageCache == null ? TreePageCache.ofBytes(USUAL_CACHE_BYTES) : pageCache;
  }

  /** Sets how often a transaction is run at most because of conflicts; by default 1,000 times. */
  public SharedTreeBuilder maxAttempts(int attempts) {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be above zero; got " + attempts);
    }
    maxAttempts = attempts;
    return this;
  }

  /**
   * Sets the time after which a transaction is not run again, and after which a request to the
   * store is not repeated; by default the timeout of the factory.
   */
  public SharedTreeBuilder timeout(Duration atMost) {
    if (atMost.isZero() || atMost.isNegative()) {
      throw new IllegalArgumentException("the timeout must be above zero; got " + atMost);
    }
    timeout = atMost;
    return this;
  }

  /** Opens the tree; creates it if there is none. Blocks. */
  public SharedTree open() {
    return SharedTree.opened(this, true);
  }

  /**
   * Opens the tree. Blocks.
   *
   * @throws TreeException.NoSuchTree if there is none
   */
  public SharedTree openExisting() {
    return SharedTree.opened(this, false);
  }
}
