package com.example.prices;

import io.ensemble.EnsembleCacheManager;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.health.HealthEndpoint;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.stereotype.Component;

/**
 * Computes a price, reads it from the cache, and computes it again after its eviction. The argument
 * {@code --ensemble.catalog=zk://…} is the address of the federation's catalog.
 */
@SpringBootApplication
@EnableCaching
public class PricesApplication {

  public static void main(String[] arguments) {
    SpringApplication.run(PricesApplication.class, arguments).close();
  }

  /** The work of the application. */
  @Component
  static class Work implements ApplicationRunner {

    private final PriceList prices;
    private final EnsembleCacheManager manager;
    private final HealthEndpoint health;
    private final MeterRegistry meters;

    Work(
        PriceList prices,
        EnsembleCacheManager manager,
        HealthEndpoint health,
        MeterRegistry meters) {
      this.prices = prices;
      this.manager = manager;
      this.health = health;
      this.meters = meters;
    }

    @Override
    public void run(ApplicationArguments arguments) {
      prices.of("bolt", 8);
      System.out.println("price: " + prices.of("bolt", 8) + ", computed: " + prices.computed());
      prices.changed("bolt", 8);
      System.out.println("price: " + prices.of("bolt", 8) + ", computed: " + prices.computed());
      System.out.println(
          "health: " + health.healthForPath("ensemble").getStatus().getCode());
      System.out.println(
          "operations measured: "
              + (meters.get("ensemble.operation").tag("cache", "prices").timers().size() > 0));
      manager.deleteCache("prices");
    }
  }
}
