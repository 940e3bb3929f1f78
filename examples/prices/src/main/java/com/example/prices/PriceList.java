package com.example.prices;

import java.math.BigDecimal;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Prices that take long to compute, and are computed once until they change. */
@Service
public class PriceList {

  private final AtomicInteger computed = new AtomicInteger();

  /** The price of {@code quantity} of an item. */
  @Cacheable("prices")
  public BigDecimal of(String item, int quantity) {
    computed.incrementAndGet();
    return new BigDecimal("0.25").multiply(BigDecimal.valueOf(quantity));
  }

  /** Forgets a price. */
  @CacheEvict("prices")
  public void changed(String item, int quantity) {}

  /** How many prices this process has computed. */
  public int computed() {
    return computed.get();
  }
}
