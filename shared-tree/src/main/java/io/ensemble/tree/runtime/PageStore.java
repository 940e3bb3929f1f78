package io.ensemble.tree.runtime;

import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.RequestRetrier;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.objects.store.ObjectStore.Entry;
import io.ensemble.tree.TreeException;
import io.ensemble.tree.state.PageId;
import io.ensemble.tree.state.TreePage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;

/** The pages of one tree, and lists of replaced pages, as entries of a store. */
public final class PageStore implements TreePages {

  private static final int MOST_REQUESTS = 64;

  /** About the bytes of the pages that are written together; at most one such write at a time. */
  private static final int BATCH_BYTES = 256 << 10;

  /**
   * The maximum number of names in one entry: a removal may replace more pages than fit into one.
   */
  static final int NAMES_PER_ENTRY = 16_384;

  private static final String PREFIX = "tree/";
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(3);

  private final ObjectStore store;
  private final TimedExecutor timedExecutor;
  private final RequestRetrier retrier;
  private final String prefix;
  private final Duration timeout;
  private final String birth;
  private final PageCache cached;

  /** Requests under way; at most one for each thread that reads, and those of a checkpoint. */
  private final Map<PageId, CompletableFuture<Optional<TreePage>>> loading =
      new ConcurrentHashMap<>();

  /**
   * @param birth the birth of the tree
   * @param cached has the pages of this tree, and perhaps of others
   */
  public PageStore(
      ObjectStore store,
      TimedExecutor timedExecutor,
      String birth,
      PageCache cached,
      Duration timeout) {
    this.store = store;
    this.timedExecutor = timedExecutor;
    this.retrier = new RequestRetrier(timedExecutor, REQUEST_TIMEOUT);
    this.prefix = PREFIX + birth + "/";
    this.timeout = timeout;
    this.birth = birth;
    this.cached = cached;
  }

  /** Whether an entry under this key belongs to a tree. */
  public static boolean isOfTree(String key) {
    return key.startsWith(PREFIX);
  }

  private String key(PageId id) {
    return "%s%d/%d-%s"
        .formatted(prefix, id.checkpoint(), id.index(), Long.toHexString(id.digest()));
  }

  /**
   * The key of one part of a list of replaced pages; the first part is there also if it is empty.
   */
  private String replacedKey(long checkpoint, int part) {
    return prefix + checkpoint + "/replaced" + (part == 0 ? "" : "-" + part);
  }

  @Override
  public TreePage read(PageId id) {
    TreePage page = cached.get(birth, id);
    return page != null ? page : wait(load(id)).orElseThrow(() -> MissingPageException.of(id));
  }

  /** Reads a page; callers that want the same page at the same time share the request. */
  private CompletableFuture<Optional<TreePage>> load(PageId id) {
    CompletableFuture<Optional<TreePage>> mine = new CompletableFuture<>();
    CompletableFuture<Optional<TreePage>> others = loading.putIfAbsent(id, mine);
    if (others != null) {
      return others;
    }
    this.<Optional<Entry>>asked(() -> store.read(key(id)))
        .thenApply(found -> found.map(entry -> keep(id, entry)))
        .whenComplete(
            (page, failure) -> {
              loading.remove(id);
              if (failure == null) {
                mine.complete(page);
              } else {
                mine.completeExceptionally(UnwrappedCause.of(failure));
              }
            });
    return mine;
  }

  private TreePage keep(PageId id, Entry entry) {
    try {
      TreePage page = TreePage.decoded(id, entry.value());
      cached.put(birth, id, page);
      return page;
    } catch (IllegalArgumentException e) {
      throw new TreeException.Damaged(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public Optional<TreePage> cached(PageId id) {
    return Optional.ofNullable(cached.get(birth, id));
  }

  @Override
  public void readAll(Collection<PageId> ids) {
    all(ids, id -> load(id).thenAccept(page -> {}));
  }

  @Override
  public void write(long checkpoint, Map<PageId, byte[]> pages, List<PageId> replaced) {
    List<CompletableFuture<Void>> listed = new ArrayList<>();
    int from = 0;
    do {
      int end = Math.min(replaced.size(), from + NAMES_PER_ENTRY);
      String key = replacedKey(checkpoint, listed.size());
      byte[] part = PageId.encoded(replaced.subList(from, end));
      listed.add(asked(() -> store.put(key, part)));
      from = end;
    } while (from < replaced.size());
    Map<String, byte[]> batch = new LinkedHashMap<>();
    int bytes = 0;
    for (Map.Entry<PageId, byte[]> page : pages.entrySet()) {
      batch.put(key(page.getKey()), page.getValue());
      bytes += page.getValue().length;
      if (bytes >= BATCH_BYTES) {
        putAll(batch);
        batch = new LinkedHashMap<>();
        bytes = 0;
      }
    }
    if (!batch.isEmpty()) {
      putAll(batch);
    }
    pages.forEach((id, encoded) -> cached.put(birth, id, TreePage.decoded(id, encoded)));
    wait(CompletableFuture.allOf(listed.toArray(CompletableFuture[]::new)));
  }

  private void putAll(Map<String, byte[]> batch) {
    wait(this.<Void>asked(() -> store.putAll(batch)));
  }

  @Override
  public void removeReplaced(long checkpoint) {
    removeLists(checkpoint, ids -> all(ids, id -> this.<Void>asked(() -> store.remove(key(id)))));
  }

  @Override
  public void discard(Collection<PageId> pages, long checkpoint) {
    all(pages, id -> this.<Void>asked(() -> store.remove(key(id))));
    removeLists(checkpoint, ids -> {});
  }

  /**
   * Removes a list of replaced pages after its parts were used. Its last part is removed first, so
   * that the next process finds what a process that dies leaves behind.
   */
  private void removeLists(long checkpoint, Consumer<List<PageId>> use) {
    int parts = 0;
    boolean isLast = false;
    while (!isLast) {
      String key = replacedKey(checkpoint, parts);
      Optional<Entry> part = wait(asked(() -> store.read(key)));
      List<PageId> ids = part.map(entry -> PageId.decoded(entry.value())).orElse(List.of());
      use.accept(ids);
      parts += part.isPresent() ? 1 : 0;
      isLast = ids.size() < NAMES_PER_ENTRY;
    }
    while (parts > 0) {
      String key = replacedKey(checkpoint, --parts);
      wait(this.<Void>asked(() -> store.remove(key)));
    }
  }

  /** Removes all entries. Costs an iteration over all keys of the store. */
  public void removeEverything() {
    try (CloseableIterator<String> keys = store.keys(prefix)) {
      keys.forEachRemaining(key -> wait(asked(() -> store.remove(key))));
    }
  }

  private <T> CompletableFuture<T> asked(Supplier<CompletionStage<? extends T>> request) {
    return retrier.<T>asked(request, timedExecutor.now() + timeout.toNanos()).toCompletableFuture();
  }

  /** Makes requests for all, of which a bounded number is under way at a time. */
  private <T> void all(Collection<T> items, Function<T, CompletableFuture<Void>> request) {
    Iterator<T> left = items.iterator();
    while (left.hasNext()) {
      List<CompletableFuture<Void>> some = new ArrayList<>();
      while (left.hasNext() && some.size() < MOST_REQUESTS) {
        some.add(request.apply(left.next()));
      }
      wait(CompletableFuture.allOf(some.toArray(CompletableFuture[]::new)));
    }
  }

  private static <T> T wait(CompletableFuture<T> stage) {
    try {
      return BlockingWait.toItsEnd(stage);
    } catch (TreeException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new TreeException.NotApplied("the store does not answer: " + e, e);
    }
  }
}
