package io.ensemble.objects.store;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.Stream;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.cache.IsolationLevel;
import org.infinispan.partitionhandling.PartitionHandling;
import org.infinispan.transaction.LockingMode;
import org.infinispan.transaction.TransactionMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedCacheValidatorTest {

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatIsGivenFits(boolean clustered) {
    assertThatCode(
            () ->
                EmbeddedCacheValidator.check(
                    "c", EmbeddedObjectStore.configuration(clustered).build()))
        .doesNotThrowAnyException();
  }

  @Test
  void aReplicatedCacheFits() {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.clustering().cacheMode(CacheMode.REPL_SYNC);

    assertThatCode(() -> EmbeddedCacheValidator.check("c", builder.build()))
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void otherSettingsAreRefused(ConfigurationBuilder builder, String says) {
    assertThatThrownBy(() -> EmbeddedCacheValidator.check("c", builder.build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(says)
        .hasMessageEndingWith("cache=c");
  }

  static Stream<Arguments> wrong() {
    return Stream.of(
        Arguments.of(new ConfigurationBuilder(), "transactions (found NON_TRANSACTIONAL)"),
        Arguments.of(simple(), "no simple cache"),
        Arguments.of(transactional(LockingMode.OPTIMISTIC), "PESSIMISTIC (found OPTIMISTIC)"),
        Arguments.of(committed(), "REPEATABLE_READ (found READ_COMMITTED)"),
        Arguments.of(mode(CacheMode.DIST_ASYNC), "found DIST_ASYNC"),
        Arguments.of(mode(CacheMode.INVALIDATION_SYNC), "found INVALIDATION_SYNC"),
        Arguments.of(owners(1), "at least two owners (found 1)"),
        Arguments.of(split(), "DENY_READ_WRITES (found ALLOW_READ_WRITES)"),
        Arguments.of(bounded(), "no eviction (found REMOVE)"),
        Arguments.of(mortal(), "no expiry (found lifespan 1000"));
  }

  private static ConfigurationBuilder simple() {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.simpleCache(true);
    return builder;
  }

  private static ConfigurationBuilder transactional(LockingMode mode) {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.transaction().transactionMode(TransactionMode.TRANSACTIONAL).lockingMode(mode);
    return builder;
  }

  private static ConfigurationBuilder committed() {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.locking().isolationLevel(IsolationLevel.READ_COMMITTED);
    return builder;
  }

  private static ConfigurationBuilder mode(CacheMode mode) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    builder.clustering().cacheMode(mode);
    return builder;
  }

  private static ConfigurationBuilder owners(int count) {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.clustering().hash().numOwners(count);
    builder.clustering().partitionHandling().whenSplit(PartitionHandling.ALLOW_READ_WRITES);
    return builder;
  }

  private static ConfigurationBuilder split() {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.clustering().partitionHandling().whenSplit(PartitionHandling.ALLOW_READ_WRITES);
    return builder;
  }

  private static ConfigurationBuilder bounded() {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.memory().maxCount(10);
    return builder;
  }

  private static ConfigurationBuilder mortal() {
    ConfigurationBuilder builder = EmbeddedObjectStore.configuration(true);
    builder.expiration().lifespan(1000);
    return builder;
  }
}
