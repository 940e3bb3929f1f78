package com.example.stock;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.site.SiteEntry;
import java.util.List;
import java.util.Locale;

/**
 * Creates a cache in each mode at all sites of a federation, and works on it.
 *
 * <p>The only argument is the address of the federation's catalog, such as {@code
 * zk://127.0.0.1:2181/ensemble}.
 */
public final class StockExample {

  private StockExample() {}

  public static void main(String[] arguments) {
    if (arguments.length != 1) {
      System.err.println("usage: stock CATALOG");
      System.exit(2);
    }
    try (EnsembleCacheManager manager =
        EnsembleCacheManager.builder().catalog(arguments[0]).build()) {
      for (Mode mode : Mode.values()) {
        System.out.println(mode + ": " + work(manager, mode));
      }
    }
  }

  /** Returns the stock that is left, which another process would read too. */
  private static long work(EnsembleCacheManager manager, Mode mode) {
    String name = "stock-" + mode.name().toLowerCase(Locale.ROOT);
    List<String> sites = manager.membership().entries().stream().map(SiteEntry::name).toList();
    EnsembleCache<String, Long> stock =
        manager.createCache(CacheDefinition.of(name, mode).sites(sites).build());
    try {
      stock.put("bolt", 100L);
      stock.merge("bolt", -3L, Long::sum); // in SWMR and MWMR atomic, even while a site is down
      return stock.get("bolt");
    } finally {
      manager.deleteCache(name);
    }
  }
}
