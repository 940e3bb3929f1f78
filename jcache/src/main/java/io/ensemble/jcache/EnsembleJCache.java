package io.ensemble.jcache;

import io.ensemble.EnsembleCache;
import io.ensemble.jcache.CacheStep.Completed;
import io.ensemble.jcache.KeyLocks.HeldLocks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CacheEntryListenerConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.event.EventType;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CompletionListener;
import javax.cache.management.CacheMXBean;
import javax.cache.management.CacheStatisticsMXBean;
import javax.cache.processor.EntryProcessor;
import javax.cache.processor.EntryProcessorException;
import javax.cache.processor.EntryProcessorResult;
import org.jspecify.annotations.Nullable;

/**
 * A cache of JCache over an Ensemble cache. An operation on one key is one atomic update of the
 * Ensemble cache, as far as its mode guarantees. Thread-safe.
 */
final class EnsembleJCache<K, V> implements Cache<K, V> {

  private final EnsembleJCacheManager manager;
  private final MutableConfiguration<K, V> configuration;
  private final CacheExtensions<K, V> extensions;
  private final EntryStore<K, V> store;
  private final LocalListeners<K, V> listeners;
  private final CacheStatistics statistics = new CacheStatistics();
  private final ManagementBeans settingsBean;
  private final ManagementBeans statisticsBean;
  private final KeyLocks locks;
  private volatile boolean closed;

  /**
   * @param configuration of this cache only
   */
  EnsembleJCache(
      EnsembleJCacheManager manager,
      MutableConfiguration<K, V> configuration,
      CacheExtensions<K, V> extensions,
      LocalListeners<K, V> listeners,
      EntryStore<K, V> store) {
    this.manager = manager;
    this.configuration = configuration;
    this.extensions = extensions;
    this.listeners = listeners;
    this.store = store;
    this.locks = new KeyLocks(store.cache().deadline());
    String name = store.cache().getName();
    this.settingsBean =
        new ManagementBeans(
            "CacheConfiguration",
            manager.getURI(),
            name,
            new CacheSettingsBean(configuration),
            CacheMXBean.class);
    this.statisticsBean =
        new ManagementBeans(
            "CacheStatistics", manager.getURI(), name, statistics, CacheStatisticsMXBean.class);
  }

  /** Registers the listeners and the beans of the configuration. */
  void begin() {
    configuration.getCacheEntryListenerConfigurations().forEach(listeners::register);
    setManagementEnabled(configuration.isManagementEnabled());
    setStatisticsEnabled(configuration.isStatisticsEnabled());
  }

  void setManagementEnabled(boolean enabled) {
    configuration.setManagementEnabled(enabled);
    settingsBean.register(enabled);
  }

  void setStatisticsEnabled(boolean enabled) {
    configuration.setStatisticsEnabled(enabled);
    statistics.enable(enabled);
    statisticsBean.register(enabled);
  }

  @Override
  public @Nullable V get(K key) {
    ensureOpen();
    Objects.requireNonNull(key, "key");
    long start = System.nanoTime();
    return read(key, store.stored(key), start);
  }

  private @Nullable V read(K key, @Nullable Object found, long start) {
    if (found != null) {
      V value = store.value(found);
      store.touch(store.form().of(key), found);
      statistics.lookup(true, start);
      return value;
    }
    statistics.lookup(false);
    V loaded = extensions.readThrough(key);
    V value = loaded == null ? null : loaded(key, loaded);
    statistics.lookupEnded(start);
    return value;
  }

  /** Adds a loaded value, unless the key is present by now. */
  private @Nullable V loaded(K key, V loaded) {
    HeldLocks held = lockIf(!listeners.isEmpty(), key);
    try {
      Completed<V, V> done =
          store.carryOut(
              key,
              present ->
                  present == null ? CacheStep.load(loaded, loaded) : CacheStep.none(present));
      raise(key, done);
      return done.isStored() ? done.result() : null;
    } finally {
      held.close();
    }
  }

  @Override
  public Map<K, V> getAll(Set<? extends K> keys) {
    ensureOpen();
    long start = System.nanoTime();
    Map<Object, K> storedKeys = new LinkedHashMap<>();
    for (K key : keys) {
      storedKeys.put(store.form().of(Objects.requireNonNull(key, "key")), key);
    }
    Map<Object, Object> found = EntryStore.called(() -> store.cache().getAll(storedKeys.keySet()));
    Map<K, V> values = new HashMap<>();
    storedKeys.forEach(
        (storedKey, key) -> {
          V value = read(key, found.get(storedKey), start);
          if (value != null) {
            values.put(key, value);
          }
        });
    return values;
  }

  @Override
  public boolean containsKey(K key) {
    ensureOpen();
    Object storedKey = store.form().of(Objects.requireNonNull(key, "key"));
    return EntryStore.called(() -> store.cache().containsKey(storedKey));
  }

  @Override
  public void loadAll(
      Set<? extends K> keys, boolean replaceExistingValues, @Nullable CompletionListener listener) {
    ensureOpen();
    Set<K> wanted = new LinkedHashSet<>();
    keys.forEach(key -> wanted.add(Objects.requireNonNull(key, "key")));
    CacheLoader<K, V> loader = extensions.loader();
    if (loader == null) {
      if (listener != null) {
        listener.onCompletion();
      }
      return;
    }
    manager.execute(
        () -> {
          try {
            load(loader, wanted, replaceExistingValues);
          } catch (Exception e) {
            if (listener != null) {
              listener.onException(e);
            }
            return;
          }
          if (listener != null) {
            listener.onCompletion();
          }
        });
  }

  private void load(CacheLoader<K, V> loader, Set<K> keys, boolean replaces) {
    List<K> missing = new ArrayList<>();
    for (K key : keys) {
      if (replaces || !containsKey(key)) {
        missing.add(key);
      }
    }
    extensions
        .load(loader, missing)
        .forEach(
            (key, value) -> {
              HeldLocks held = lockIf(!listeners.isEmpty(), key);
              try {
                raise(
                    key,
                    store.carryOut(
                        key,
                        present ->
                            present == null || replaces
                                ? CacheStep.load(value, null)
                                : CacheStep.none(null)));
              } finally {
                held.close();
              }
            });
  }

  @Override
  public void put(K key, V value) {
    ensureOpen();
    checkTypes(key, value);
    long start = System.nanoTime();
    if (writesBlindly()) {
      Object storedKey = store.form().of(key);
      Object storedValue = store.form().of(value);
      EntryStore.called(() -> store.cache().put(storedKey, storedValue));
      statistics.put(start);
      return;
    }
    if (write(key, present -> CacheStep.write(value, null)).isPut()) {
      statistics.put(start);
    }
  }

  /** Whether a put need not know the present entry. */
  private boolean writesBlindly() {
    return extensions.writer() == null
        && listeners.isEmpty()
        && ExpiryRules.isEternal(extensions.expiry());
  }

  @Override
  public @Nullable V getAndPut(K key, V value) {
    ensureOpen();
    checkTypes(key, value);
    long start = System.nanoTime();
    Completed<V, V> done = write(key, present -> CacheStep.write(value, present));
    statistics.lookup(done.isHit(), start);
    if (done.isPut()) {
      statistics.put(start);
    }
    return done.result();
  }

  @Override
  public void putAll(Map<? extends K, ? extends V> entries) {
    ensureOpen();
    entries.forEach(this::checkTypes);
    long start = System.nanoTime();
    if (writesBlindly()) {
      Map<Object, Object> stored = new LinkedHashMap<>();
      entries.forEach((key, value) -> stored.put(store.form().of(key), store.form().of(value)));
      EntryStore.called(
          () -> {
            store.cache().putAll(stored);
            return true;
          });
      statistics.puts(entries.size(), start);
      return;
    }
    HeldLocks held = lockAll(entries.keySet());
    try {
      List<Entry<? extends K, ? extends V>> unwritten = new ArrayList<>();
      entries.forEach((key, value) -> unwritten.add(new EnsembleEntry<>(key, value)));
      CacheException failure = extensions.writeAll(unwritten);
      Set<Object> failed = new HashSet<>();
      unwritten.forEach(entry -> failed.add(entry.getKey()));
      long puts = 0;
      for (Map.Entry<? extends K, ? extends V> entry : entries.entrySet()) {
        if (!failed.contains(entry.getKey())) {
          Completed<V, Void> done =
              store.carryOut(entry.getKey(), p -> CacheStep.write(entry.getValue(), null));
          raise(entry.getKey(), done);
          puts += done.isPut() ? 1 : 0;
        }
      }
      statistics.puts(puts, start);
      rethrow(failure);
    } finally {
      held.close();
    }
  }

  private static void rethrow(@Nullable CacheException failure) {
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public boolean putIfAbsent(K key, V value) {
    ensureOpen();
    checkTypes(key, value);
    long start = System.nanoTime();
    Completed<V, Void> done =
        write(
            key, present -> present == null ? CacheStep.write(value, null) : CacheStep.none(null));
    statistics.lookup(!done.isPut());
    if (done.isPut()) {
      statistics.put(start);
    }
    return done.isPut();
  }

  @Override
  public boolean remove(K key) {
    ensureOpen();
    Objects.requireNonNull(key, "key");
    long start = System.nanoTime();
    Completed<V, Void> done = write(key, present -> CacheStep.remove(null));
    if (done.isRemoval()) {
      statistics.remove(start);
    }
    return done.isRemoval();
  }

  @Override
  public boolean remove(K key, V oldValue) {
    ensureOpen();
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(oldValue, "old value");
    long start = System.nanoTime();
    Completed<V, Void> done =
        write(
            key,
            present -> isSame(present, oldValue) ? CacheStep.remove(null) : CacheStep.access(null));
    statistics.lookup(done.isHit(), start);
    if (done.isRemoval()) {
      statistics.remove(start);
    }
    return done.isRemoval();
  }

  private boolean isSame(@Nullable V present, V expected) {
    return present != null
        && store.form().areSame(store.form().of(present), store.form().of(expected));
  }

  @Override
  public @Nullable V getAndRemove(K key) {
    ensureOpen();
    Objects.requireNonNull(key, "key");
    long start = System.nanoTime();
    Completed<V, V> done = write(key, CacheStep::remove);
    statistics.lookup(done.isHit(), start);
    if (done.isRemoval()) {
      statistics.remove(start);
    }
    return done.result();
  }

  @Override
  public boolean replace(K key, V oldValue, V newValue) {
    ensureOpen();
    checkTypes(key, newValue);
    checkTypes(key, oldValue);
    long start = System.nanoTime();
    Completed<V, Void> done =
        write(
            key,
            present ->
                isSame(present, oldValue)
                    ? CacheStep.write(newValue, null)
                    : CacheStep.access(null));
    return replaced(done, start);
  }

  @Override
  public boolean replace(K key, V value) {
    ensureOpen();
    checkTypes(key, value);
    long start = System.nanoTime();
    return replaced(writeIfPresent(key, value), start);
  }

  @Override
  public @Nullable V getAndReplace(K key, V value) {
    ensureOpen();
    checkTypes(key, value);
    long start = System.nanoTime();
    Completed<V, V> done = writeIfPresent(key, value);
    replaced(done, start);
    return done.result();
  }

  private Completed<V, V> writeIfPresent(K key, V value) {
    return write(
        key, present -> present == null ? CacheStep.none(null) : CacheStep.write(value, present));
  }

  private boolean replaced(Completed<V, ?> done, long start) {
    statistics.lookup(done.isHit(), start);
    if (done.isPut()) {
      statistics.put(start);
    }
    return done.isPut();
  }

  /** Carries out a step, with the cache writer before and the listeners after it. */
  private <R> Completed<V, R> write(K key, Function<@Nullable V, CacheStep<V, R>> decision) {
    boolean calls = extensions.writer() != null;
    HeldLocks held = lockIf(calls || !listeners.isEmpty(), key);
    try {
      Completed<V, R> done =
          calls
              ? store.carryOutOnce(key, decision, step -> callWriter(key, step))
              : store.carryOut(key, decision);
      raise(key, done);
      return done;
    } finally {
      held.close();
    }
  }

  private void callWriter(K key, CacheStep<V, ?> step) {
    if (step.kind() == CacheStep.Kind.WRITE) {
      extensions.write(key, step.newValue());
    } else if (step.kind() == CacheStep.Kind.REMOVE) {
      extensions.delete(key);
    }
  }

  private HeldLocks lockIf(boolean needed, K key) {
    return needed ? lockAll(Set.of(key)) : () -> {};
  }

  private HeldLocks lockAll(Set<? extends K> keys) {
    if (extensions.writer() == null && listeners.isEmpty() && keys.size() != 1) {
      return () -> {};
    }
    return locks.lockAll(
        keys.stream().map(key -> store.form().codec().encode(store.form().of(key))).toList());
  }

  /** Calls the listeners for a step that changed the entry. */
  private void raise(K key, Completed<V, ?> done) {
    if (listeners.isEmpty() || !done.isStored()) {
      return;
    }
    V old = done.present();
    switch (done.step().kind()) {
      case WRITE, LOAD -> {
        EventType type = old == null ? EventType.CREATED : EventType.UPDATED;
        listeners.dispatch(new LocalEvent<>(this, type, key, done.step().newValue(), old));
      }
      case REMOVE -> {
        if (old != null) {
          listeners.dispatch(new LocalEvent<>(this, EventType.REMOVED, key, old, old));
        }
      }
      default -> {
        // A read raises no event.
      }
    }
  }

  @Override
  public void removeAll(Set<? extends K> keys) {
    ensureOpen();
    keys.forEach(key -> Objects.requireNonNull(key, "key"));
    Set<K> wanted = new LinkedHashSet<>(keys);
    HeldLocks held = lockAll(wanted);
    try {
      Set<K> undeleted = new HashSet<>(wanted);
      CacheException failure = extensions.deleteAll(undeleted);
      wanted.removeAll(undeleted);
      long removals = 0;
      for (K key : wanted) {
        Completed<V, Void> done = store.carryOut(key, present -> CacheStep.remove(null));
        raise(key, done);
        removals += done.isRemoval() ? 1 : 0;
      }
      statistics.removals(removals);
      rethrow(failure);
    } finally {
      held.close();
    }
  }

  @Override
  public void removeAll() {
    ensureOpen();
    if (extensions.writer() == null && listeners.isEmpty() && !statistics.isEnabled()) {
      clear();
      return;
    }
    Set<K> keys = new LinkedHashSet<>();
    EntryStore.called(
        () -> {
          store.cache().keySet().forEach(key -> keys.add(store.form().<K>read(key)));
          return true;
        });
    removeAll(keys);
  }

  @Override
  public void clear() {
    ensureOpen();
    EntryStore.called(
        () -> {
          store.cache().clear();
          return true;
        });
  }

  @Override
  public <T> @Nullable T invoke(
      K key, EntryProcessor<K, V, T> entryProcessor, @Nullable Object... arguments) {
    ensureOpen();
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(entryProcessor, "entry processor");
    long start = System.nanoTime();
    HeldLocks held = lockIf(true, key);
    try {
      Completed<V, T> done =
          store.carryOutOnce(
              key,
              present -> processed(key, present, entryProcessor, arguments),
              step -> callWriter(key, step));
      statistics.lookup(done.isHit(), start);
      if (done.isPut()) {
        statistics.put(start);
      } else if (done.step().kind() == CacheStep.Kind.REMOVE) {
        statistics.remove(start);
      }
      raise(key, done);
      return done.result();
    } finally {
      held.close();
    }
  }

  private <T> CacheStep<V, T> processed(
      K key,
      @Nullable V present,
      EntryProcessor<K, V, T> entryProcessor,
      @Nullable Object[] arguments) {
    ProcessedEntry<K, V> entry =
        new ProcessedEntry<>(key, present, () -> extensions.readThrough(key));
    T result;
    try {
      result = entryProcessor.process(entry, arguments);
    } catch (CacheException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new EntryProcessorException(e);
    }
    return entry.step(result);
  }

  @Override
  public <T> Map<K, EntryProcessorResult<T>> invokeAll(
      Set<? extends K> keys,
      EntryProcessor<K, V, T> entryProcessor,
      @Nullable Object... arguments) {
    ensureOpen();
    Objects.requireNonNull(entryProcessor, "entry processor");
    Map<K, EntryProcessorResult<T>> results = new HashMap<>();
    for (K key : keys) {
      EntryProcessorResult<T> result;
      try {
        T found = invoke(key, entryProcessor, arguments);
        if (found == null) {
          continue;
        }
        result = () -> found;
      } catch (RuntimeException e) {
        result =
            () -> {
              throw e instanceof EntryProcessorException own ? own : new EntryProcessorException(e);
            };
      }
      results.put(key, result);
    }
    return results;
  }

  @Override
  public Iterator<Entry<K, V>> iterator() {
    ensureOpen();
    return new EntryCursor<>(this, store, statistics);
  }

  @Override
  public void registerCacheEntryListener(CacheEntryListenerConfiguration<K, V> listener) {
    ensureOpen();
    listeners.register(Objects.requireNonNull(listener, "listener"));
    configuration.addCacheEntryListenerConfiguration(listener);
  }

  @Override
  public void deregisterCacheEntryListener(CacheEntryListenerConfiguration<K, V> listener) {
    ensureOpen();
    listeners.deregister(Objects.requireNonNull(listener, "listener"));
    configuration.removeCacheEntryListenerConfiguration(listener);
  }

  @Override
  public String getName() {
    return store.cache().getName();
  }

  @Override
  public CacheManager getCacheManager() {
    return manager;
  }

  @Override
  public <C extends Configuration<K, V>> C getConfiguration(Class<C> type) {
    if (type.isInstance(configuration)) {
      return type.cast(configuration);
    }
    throw new IllegalArgumentException(
        "the configuration of the cache is no %s; cache=%s".formatted(type.getName(), getName()));
  }

  @Override
  public void close() {
    synchronized (manager) {
      if (!closed) {
        closed = true;
        manager.release(getName());
        settingsBean.register(false);
        statisticsBean.register(false);
        extensions.close(getName(), listeners.listeners());
        store.cache().stop();
      }
    }
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    if (type == EnsembleCache.class) {
      return type.cast(store.cache());
    }
    throw new IllegalArgumentException("a cache cannot be unwrapped to " + type.getName());
  }

  void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("the cache is closed; cache=" + getName());
    }
  }

  private void checkTypes(K key, V value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    if (!configuration.getKeyType().isInstance(key)) {
      throw wrongType("key", configuration.getKeyType(), key);
    }
    if (!configuration.getValueType().isInstance(value)) {
      throw wrongType("value", configuration.getValueType(), value);
    }
  }

  private ClassCastException wrongType(String what, Class<?> expected, Object got) {
    return new ClassCastException(
        "a %s must be a %s; got a %s; cache=%s"
            .formatted(what, expected.getName(), got.getClass().getName(), getName()));
  }
}
