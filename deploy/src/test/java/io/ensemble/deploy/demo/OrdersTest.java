package io.ensemble.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.codec.Codec;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrdersTest {

  @Test
  void theSameSeedMakesTheSameOrders() {
    assertThat(Orders.of(7, 0, 100)).isEqualTo(Orders.of(7, 0, 100)).doesNotHaveDuplicates();
    assertThat(Orders.of(8, 0, 100)).isNotEqualTo(Orders.of(7, 0, 100));
  }

  @Test
  void anOrderSurvivesItsEncoding() {
    Codec codec = new Codec(List.of(new OrderSchema()));
    Order order = Orders.of(1, 5, 1).get(0);

    assertThat(codec.decode(codec.encode(order))).isEqualTo(order);
  }
}
