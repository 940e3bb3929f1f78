package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.codec.Codec;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderGeneratorTest {

  @Test
  void theSameSeedMakesTheSameOrders() {
    assertThat(OrderGenerator.of(7, 0, 100))
        .isEqualTo(OrderGenerator.of(7, 0, 100))
        .doesNotHaveDuplicates();
    assertThat(OrderGenerator.of(8, 0, 100)).isNotEqualTo(OrderGenerator.of(7, 0, 100));
  }

  @Test
  void anOrderSurvivesItsEncoding() {
    Codec codec = new Codec(List.of(new OrderSchema()));
    ShopOrder order = OrderGenerator.of(1, 5, 1).get(0);

    assertThat(codec.decode(codec.encode(order))).isEqualTo(order);
  }
}
