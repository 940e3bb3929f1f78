package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The view of a site for one of its replicas. */
class ReplicaSiteTest {

  private final ThreadScheduler scheduler = new ThreadScheduler(1);
  private final StubSite lyon = new StubSite("lyon");
  private final Site replica = new ReplicaSite(lyon, "lyon/2");

  @AfterEach
  void close() {
    scheduler.close();
  }

  private Deadline soon() {
    return Deadline.after(Duration.ofSeconds(1), scheduler);
  }

  private static SiteException failure(CompletionStage<?> stage) {
    try {
      stage.toCompletableFuture().join();
      throw new AssertionError("it succeeded");
    } catch (CompletionException e) {
      return (SiteException) e.getCause();
    }
  }

  /** A method that is not overridden would do what the interface does by default. */
  @Test
  void everyRequestIsTheSites() {
    SiteStore store = replica.create("s", StoreKind.REPLICA, soon()).toCompletableFuture().join();

    assertThat(Site.class.getMethods())
        .allSatisfy(method -> assertNotInherited(replica, Site.class, method));
    assertThat(SiteStore.class.getMethods())
        .allSatisfy(method -> assertNotInherited(store, SiteStore.class, method));
  }

  /** A default method of the interface would hide the method of the site. */
  private static void assertNotInherited(Object object, Class<?> type, Method method)
      throws NoSuchMethodException {
    if (!Modifier.isStatic(method.getModifiers())) {
      assertThat(
              object
                  .getClass()
                  .getMethod(method.getName(), method.getParameterTypes())
                  .getDeclaringClass())
          .isNotEqualTo(type);
    }
  }

  @Test
  void answersAndFailuresNameTheReplica() {
    SiteStore store = replica.create("s", StoreKind.REPLICA, soon()).toCompletableFuture().join();
    assertThat(replica.name()).isEqualTo("lyon/2");
    assertThat(store.site()).isEqualTo("lyon/2");

    lyon.stores.clear();
    SiteException lost = failure(store.read(Bytes.of((byte) 1), soon()));
    lyon.fails = Reason.UNREACHABLE;
    SiteException silent = failure(replica.open("s", StoreKind.REPLICA, soon()));

    assertThat(lost.site()).isEqualTo("lyon/2");
    assertThat(lost.reason()).isEqualTo(Reason.STORE_LOST);
    assertThat(silent.site()).isEqualTo("lyon/2");
    assertThat(silent).hasMessageContaining("site=lyon/2");
  }

  @Test
  void whatWasNotSentStaysNotSent() {
    lyon.nextFailures.add(SiteException.notSent("lyon", Reason.TIMED_OUT, "late"));

    SiteException late = failure(replica.open("s", StoreKind.REPLICA, soon()));

    assertThat(late.isNotSent()).isTrue();
    assertThat(late.reason()).isEqualTo(Reason.TIMED_OUT);
  }

  @Test
  void theSiteIsNotClosedWithAReplica() throws Exception {
    replica.close();

    assertThat(lyon.closed).isFalse();
  }

  @Test
  void aNameThatIsAReplicasIsNoSites() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(
            () ->
                SiteEntry.open("lyon/2", List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY))
        .withMessageContaining("lyon/2");
  }
}
