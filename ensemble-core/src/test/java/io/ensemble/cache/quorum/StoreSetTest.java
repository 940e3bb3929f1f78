package io.ensemble.cache.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class StoreSetTest {

  private static final Deadline DEADLINE = new Deadline(0);

  private final Handle lyon = new Handle("lyon");
  private final Handle oslo = new Handle("oslo");

  @Test
  void aSiteThatCouldNotBeOpenedIsOpenedWhenItIsAskedAgain() {
    lyon.open = Optional.of(store("first"));
    StoreSet replicas = StoreSet.of(List.of(lyon, oslo), DEADLINE);
    oslo.opening.completeExceptionally(new SiteException("oslo", Reason.FAILED, "not yet"));
    oslo.opening = new CompletableFuture<>();
    SiteStore found = store("found");
    oslo.opening.complete(found);

    assertThat(replicas.store(1).toCompletableFuture()).isCompletedWithValue(found);
  }

  @Test
  void anIncarnationThatWasOpenedOnceStays() {
    SiteStore first = store("first");
    lyon.open = Optional.of(first);
    StoreSet replicas = StoreSet.of(List.of(lyon, oslo), DEADLINE);
    SiteStore opened = store("opened");
    oslo.opening.complete(opened);
    lyon.open = Optional.of(store("second"));
    oslo.opening = CompletableFuture.completedFuture(store("another"));

    assertThat(replicas.store(0).toCompletableFuture()).isCompletedWithValue(first);
    assertThat(replicas.store(1).toCompletableFuture()).isCompletedWithValue(opened);
  }

  @Test
  void aSiteThatIsLeftOutStaysOut() {
    lyon.open = Optional.of(store("first"));
    oslo.open = Optional.of(store("other"));
    StoreSet replicas = StoreSet.without("lyon", List.of(lyon, oslo), DEADLINE);

    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> replicas.store(0).toCompletableFuture().join())
          .hasCauseInstanceOf(SiteException.class)
          .hasMessageContaining("being refilled");
    }
    assertThat(replicas.store(1).toCompletableFuture()).isCompleted();
  }

  private static SiteStore store(String name) {
    return (SiteStore)
        Proxy.newProxyInstance(
            SiteStore.class.getClassLoader(),
            new Class<?>[] {SiteStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "toString" -> name;
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static final class Handle implements StoreHandle {

    private final String site;
    private Optional<SiteStore> open = Optional.empty();
    private CompletableFuture<SiteStore> opening = new CompletableFuture<>();

    Handle(String site) {
      this.site = site;
    }

    @Override
    public String site() {
      return site;
    }

    @Override
    public Optional<SiteStore> current() {
      return open;
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return opening;
    }
  }
}
