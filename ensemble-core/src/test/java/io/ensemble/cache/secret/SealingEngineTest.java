package io.ensemble.cache.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.DoubtfulWrites.Write;
import io.ensemble.PrivateCacheException;
import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Windowed;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What users of a private cache are told, and what is not done for who has no keyset. */
class SealingEngineTest {

  private static final Bytes KEY = Bytes.of((byte) 1);

  private final List<Consumer<DoubtfulWrites<Bytes>>> listeners = new ArrayList<>();
  private final CacheEngine inner =
      (CacheEngine)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {CacheEngine.class, Windowed.class},
              (self, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("listen");
                listeners.add(consumer(arguments[0]));
                return (Runnable) () -> {};
              });

  @SuppressWarnings("unchecked") // It is the only parameter of the only method that is called.
  private static Consumer<DoubtfulWrites<Bytes>> consumer(Object argument) {
    return (Consumer<DoubtfulWrites<Bytes>>) argument;
  }

  @Test
  void doubtfulWritesAreToldUnderTheKeysThatUsersKnow() {
    Seal seal = new Seal("c", "birth", true, new TestKeyset(true).keyset());
    SealingEngine engine = new SealingEngine(inner, () -> seal, () -> 0);
    List<DoubtfulWrites<Bytes>> told = new ArrayList<>();
    engine.listen(told::add);

    listeners
        .get(0)
        .accept(
            new DoubtfulWrites<>(
                "c", 7, Fate.LOST, List.of(new Write<>(seal.stored(KEY), Stamp.NONE))));

    assertThat(told)
        .containsExactly(
            new DoubtfulWrites<>("c", 7, Fate.LOST, List.of(new Write<>(KEY, Stamp.NONE))));
  }

  @Test
  void whoHasNoKeysetNeitherCountsNorClears() {
    SealingEngine engine =
        new SealingEngine(
            inner,
            () -> {
              throw new PrivateCacheException(Reason.NO_KEYSET, "c");
            },
            () -> 0);

    assertThatThrownBy(() -> SealingEngine.unread(engine))
        .isInstanceOf(PrivateCacheException.class);
    assertThat(SealingEngine.unread(inner)).isSameAs(inner);
  }
}
