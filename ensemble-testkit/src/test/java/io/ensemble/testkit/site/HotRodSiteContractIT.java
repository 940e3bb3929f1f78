package io.ensemble.testkit.site;

import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.SharedFederation;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HotRodSiteContractIT extends SiteStoreContract {

  private static ThreadScheduler scheduler;
  private static Site site;

  @BeforeAll
  static void start() {
    EmbeddedFederation federation = SharedFederation.threeNodes();
    scheduler = new ThreadScheduler();
    site =
        HotRod.connect(EmbeddedSiteConfigurations.of(federation.site("lyon")).build(), scheduler);
  }

  @AfterAll
  static void stop() {
    site.close();
    scheduler.close();
  }

  @Override
  protected Site site() {
    return site;
  }

  @Override
  protected Scheduler scheduler() {
    return scheduler;
  }

  @Override
  protected <T> T await(CompletionStage<T> stage) {
    return RealTimeWait.forStage(stage);
  }
}
