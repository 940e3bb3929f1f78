package io.ensemble.spring;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import java.math.BigDecimal;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** The examples of docs/spring.md. */
final class SpringPageExamples {

  private SpringPageExamples() {}

  @Service
  static class Stock {

    private final EnsembleCache<String, Long> stock;

    Stock(EnsembleCacheManager manager) {
      stock = manager.getCache("stock");
    }

    void take(String item, long count) {
      stock.merge(item, -count, Long::sum);
    }
  }

  @Service
  static class Prices {

    @Cacheable("prices")
    public BigDecimal of(String item, int quantity) {
      return quote(item, quantity); // slow
    }

    @CacheEvict("prices")
    public void changed(String item, int quantity) {}

    private static BigDecimal quote(String item, int quantity) {
      return BigDecimal.valueOf(item.length()).multiply(BigDecimal.valueOf(quantity));
    }
  }
}
