package io.ensemble.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import org.infinispan.Cache;
import org.infinispan.commons.CacheException;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.remoting.RemoteException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreWriteGuardTest {

  private static final String APPENDER = "org.infinispan.persistence.sifs.LogAppender";

  @TempDir Path directory;

  @AfterEach
  void withoutReserve() {
    System.clearProperty(DiskReserveModule.RESERVE);
  }

  @Test
  void aWriteToALowDiskIsRefusedBeforeAnythingIsDone() throws IOException {
    System.setProperty(DiskReserveModule.RESERVE, String.valueOf(Long.MAX_VALUE / 2));
    try (DefaultCacheManager manager = manager()) {
      Cache<String, String> cache = cache(manager, true);

      assertThatThrownBy(() -> cache.put("k", "v"))
          .isInstanceOf(CacheException.class)
          .hasMessageContaining("disk space is low")
          .hasMessageContaining(directory.toString());
      assertThatThrownBy(() -> cache.putIfAbsent("k", "v")).isInstanceOf(CacheException.class);
      assertThat(cache.get("k")).isNull();
      assertThat(cache).isEmpty();
    }
    System.clearProperty(DiskReserveModule.RESERVE);
    try (DefaultCacheManager manager = manager()) {
      assertThat(cache(manager, true)).isEmpty();
    }
  }

  @Test
  void cachesInMemoryAndNodesWithoutReserveAreAsTheyCome() throws IOException {
    System.setProperty(DiskReserveModule.RESERVE, String.valueOf(Long.MAX_VALUE / 2));
    try (DefaultCacheManager manager = manager()) {
      assertWrites(cache(manager, false));
    }
    System.clearProperty(DiskReserveModule.RESERVE);
    try (DefaultCacheManager manager = manager()) {
      assertWrites(cache(manager, true));
    }
  }

  @Test
  void withRoomEnoughWritesAreWritten() throws IOException {
    System.setProperty(DiskReserveModule.RESERVE, "1");
    try (DefaultCacheManager manager = manager()) {
      assertWrites(cache(manager, true));
    }
    try (DefaultCacheManager manager = manager()) {
      assertThat(cache(manager, true).get("k")).isEqualTo("w");
    }
  }

  @Test
  void onlyTheStoresOwnFailureToAppendEndsTheNode() {
    Throwable full =
        thrown(
            new IOException("No space left on device"),
            frame("sun.nio.ch.FileChannelImpl", "write"),
            frame("org.infinispan.persistence.sifs.EntryRecord", "writeEntry"),
            frame(APPENDER, "accept"),
            frame("io.reactivex.rxjava3.Any", "run"));
    Throwable read =
        thrown(
            new IOException("Input/output error"),
            frame("sun.nio.ch.FileChannelImpl", "read"),
            frame("org.infinispan.persistence.sifs.EntryRecord", "read"),
            frame("org.infinispan.persistence.sifs.Index", "getRecord"));
    Throwable onItsThread =
        thrown(
            new IllegalStateException(),
            frame("org.infinispan.interceptors.impl.Any", "visit"),
            frame(APPENDER, "accept"));

    assertThat(StoreWriteGuard.isOfAppending(full)).isTrue();
    assertThat(StoreWriteGuard.isOfAppending(new CacheException(full))).isTrue();
    assertThat(StoreWriteGuard.isOfAppending(read)).isFalse();
    assertThat(StoreWriteGuard.isOfAppending(onItsThread)).isFalse();
    assertThat(StoreWriteGuard.isOfAppending(new RemoteException("a peer's", full))).isFalse();
  }

  private DefaultCacheManager manager() {
    GlobalConfigurationBuilder global = new GlobalConfigurationBuilder();
    global.globalState().enable().persistentLocation(directory.toString());
    return new DefaultCacheManager(global.build());
  }

  private static Cache<String, String> cache(DefaultCacheManager manager, boolean onDisk) {
    ConfigurationBuilder configuration = new ConfigurationBuilder();
    if (onDisk) {
      configuration.persistence().addSoftIndexFileStore().syncWrites(true);
    }
    return manager.createCache("kept", configuration.build());
  }

  private static void assertWrites(Cache<String, String> cache) {
    assertThat(cache.putIfAbsent("k", "v")).isNull();
    assertThat(cache.replace("k", "v", "w")).isTrue();
    assertThat(cache.get("k")).isEqualTo("w");
  }

  private static Throwable thrown(Throwable failure, StackTraceElement... frames) {
    failure.setStackTrace(frames);
    return failure;
  }

  private static StackTraceElement frame(String type, String method) {
    return new StackTraceElement(type, method, null, -1);
  }
}
