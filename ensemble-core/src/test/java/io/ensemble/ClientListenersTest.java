package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.MapSite;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryCreated;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryModified;
import org.infinispan.client.hotrod.annotation.ClientCacheEntryRemoved;
import org.infinispan.client.hotrod.annotation.ClientCacheFailover;
import org.infinispan.client.hotrod.annotation.ClientListener;
import org.infinispan.client.hotrod.event.ClientCacheEntryCreatedEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryModifiedEvent;
import org.infinispan.client.hotrod.event.ClientCacheEntryRemovedEvent;
import org.infinispan.client.hotrod.event.ClientCacheFailoverEvent;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects with annotations of Infinispan's client listen to a cache. */
@Timeout(60)
class ClientListenersTest {

  /** Notes what it is called with. */
  @ClientListener
  public static class Noting {

    final BlockingQueue<String> noted = new LinkedBlockingQueue<>();

    @ClientCacheEntryCreated
    public void created(ClientCacheEntryCreatedEvent<String> event) {
      noted.add("created " + event.getKey());
    }

    @ClientCacheEntryModified
    public void modified(ClientCacheEntryModifiedEvent<String> event) {
      noted.add("modified " + event.getKey());
      if (event.getKey().equals("bad")) {
        throw new IllegalStateException("planted");
      }
    }

    @ClientCacheEntryRemoved
    public void removed(ClientCacheEntryRemovedEvent<String> event) {
      noted.add("removed " + event.getKey());
    }

    String next() {
      try {
        return noted.poll(30, TimeUnit.SECONDS);
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
    }
  }

  /** Wants the present entries, too. */
  @ClientListener(includeCurrentState = true)
  public static final class FromNow extends Noting {}

  /** Has no annotated method. */
  @ClientListener
  public static final class Silent {}

  /** Has a method with a wrong parameter. */
  @ClientListener
  public static final class Mistaken {

    @ClientCacheEntryCreated
    public void created(ClientCacheFailoverEvent event) {}
  }

  /** Names a filter. */
  @ClientListener(filterFactoryName = "mine")
  public static final class Filtering extends Noting {}

  private final ThreadScheduler scheduler = new ThreadScheduler(2);
  private final EnsembleCacheManager manager = manager();

  private EnsembleCacheManager manager() {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder().scheduler(scheduler);
    List.of("a", "b", "c").forEach(site -> builder.site(new MapSite(site, scheduler)));
    return builder.build();
  }

  @AfterEach
  void stop() {
    manager.stop();
    scheduler.close();
  }

  private EnsembleCache<String, Integer> created(Mode mode) {
    return manager.createCache(CacheDefinition.of("c", mode).sites("a", "b", "c").build());
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void eachKindOfChangeCallsItsMethod(Mode mode) {
    EnsembleCache<String, Integer> cache = created(mode);
    Noting listener = new Noting();
    cache.addClientListener(listener);
    cache.addClientListener(listener);
    assertThat(cache.getListeners()).containsExactly(listener);
    assertThat(cache.withReturnValues().getListeners()).containsExactly(listener);

    cache.put("k", 1);
    assertThat(listener.next()).isEqualTo("created k");
    cache.put("k", 2);
    assertThat(listener.next()).isEqualTo("modified k");
    cache.remove("k");
    assertThat(listener.next()).isEqualTo("removed k");

    cache.removeClientListener(listener);
    assertThat(cache.getListeners()).isEmpty();
    cache.put("k", 3);
    FromNow other = new FromNow();
    cache.addClientListener(other);
    assertThat(other.next()).isEqualTo("created k");
    assertThat(listener.noted).isEmpty();
  }

  @Test
  void aFailingMethodDoesNotEndTheEvents() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    Noting listener = new Noting();
    cache.addClientListener(listener);
    cache.put("bad", 1);
    assertThat(listener.next()).isEqualTo("created bad");
    cache.put("bad", 2);
    assertThat(listener.next()).isEqualTo("modified bad");
    cache.put("k", 1);
    assertThat(listener.next()).isEqualTo("created k");
  }

  @Test
  void aListenerThatWasRemovedMayBeAddedAgain() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    Noting listener = new Noting();
    for (int i = 0; i < 5; i++) {
      cache.addClientListener(listener);
      cache.removeClientListener(listener);
    }
    cache.addClientListener(listener);
    cache.put("k", 1);
    assertThat(listener.next()).isEqualTo("created k");
    assertThat(cache.getListeners()).containsExactly(listener);
  }

  @Test
  void aClosedCacheHasNoListeners() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    cache.addClientListener(new Noting());
    cache.stop();
    assertThat(cache.getListeners()).isEmpty();
  }

  @Test
  void whatCannotBeCalledIsRefused() {
    EnsembleCache<String, Integer> cache = created(Mode.MWMR);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.addClientListener("text"))
        .withMessageContaining("@ClientListener; class=java.lang.String");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.addClientListener(new Silent()))
        .withMessageContaining("a public method");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.addClientListener(new Mistaken()))
        .withMessageContaining("one ClientCacheEntryCreatedEvent: created");
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.addClientListener(new Filtering()));
    assertThat(cache.getListeners()).isEmpty();
  }

  /** Also told when events may be missing. */
  @ClientListener
  public static final class Careful extends Noting {

    @ClientCacheFailover
    public void mayBeMissing(ClientCacheFailoverEvent event) {
      noted.add("failover");
    }
  }

  @Test
  void aListenerOfADistributedCacheFollowsNewParts() throws Exception {
    for (String part : List.of("p1", "p2", "p3")) {
      manager.createCache(CacheDefinition.of(part, Mode.MWMR).sites("a", "b", "c").build());
    }
    DistributedDefinition two = DistributedDefinition.of("d", "p1", "p2");
    EnsembleCache<String, Integer> cache = manager.createDistributed(two);
    Careful listener = new Careful();
    cache.addClientListener(listener);
    cache.put("k", 1);
    assertThat(listener.next()).isEqualTo("created k");

    manager.parts().alter(two.with("p3")).done().toCompletableFuture().get(30, TimeUnit.SECONDS);

    assertThat(listener.next()).isEqualTo("failover");
    for (int i = 0; i < 10; i++) {
      cache.put("later" + i, i);
      assertThat(listener.next()).isEqualTo("created later" + i);
    }
    cache.removeClientListener(listener);
    assertThat(cache.getListeners()).isEmpty();
  }
}
