package io.ensemble.cache.encryption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.InDoubtWrites.Write;
import io.ensemble.PrivateCacheException;
import io.ensemble.PrivateCacheException.Reason;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.keyset.TestKeyset;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Reports to the users of a private cache, and operations that need a keyset. */
class EncryptingEngineTest {

  private static final Bytes KEY = Bytes.of((byte) 1);

  private final List<Consumer<InDoubtWrites<Bytes>>> listeners = new ArrayList<>();
  private final CacheEngine inner =
      (CacheEngine)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {CacheEngine.class, WindowedEngine.class},
              (self, method, arguments) -> {
                assertThat(method.getName()).isEqualTo("listen");
                listeners.add(consumer(arguments[0]));
                return (Runnable) () -> {};
              });

  @SuppressWarnings("unchecked") // The only parameter of the only method that is called.
  private static Consumer<InDoubtWrites<Bytes>> consumer(Object argument) {
    return (Consumer<InDoubtWrites<Bytes>>) argument;
  }

  @Test
  void doubtfulWritesAreToldUnderTheKeysThatUsersKnow() {
    CacheCipher seal = new CacheCipher("c", "birth", true, new TestKeyset(true).keyset());
    EncryptingEngine engine = new EncryptingEngine(inner, () -> seal, () -> 0);
    List<InDoubtWrites<Bytes>> told = new ArrayList<>();
    engine.listen(told::add);

    listeners
        .get(0)
        .accept(
            new InDoubtWrites<>(
                "c", 7, Fate.LOST, List.of(new Write<>(seal.stored(KEY), Stamp.NONE))));

    assertThat(told)
        .containsExactly(
            new InDoubtWrites<>("c", 7, Fate.LOST, List.of(new Write<>(KEY, Stamp.NONE))));
  }

  @Test
  void whoHasNoKeysetNeitherCountsNorClears() {
    EncryptingEngine engine =
        new EncryptingEngine(
            inner,
            () -> {
              throw new PrivateCacheException(Reason.NO_KEYSET, "c");
            },
            () -> 0);

    assertThatThrownBy(() -> EncryptingEngine.unread(engine))
        .isInstanceOf(PrivateCacheException.class);
    assertThat(EncryptingEngine.unread(inner)).isSameAs(inner);
  }
}
