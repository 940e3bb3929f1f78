package io.ensemble.registers.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.registers.algorithm.RegisterCell;
import io.ensemble.registers.algorithm.RegisterValue;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Flag;
import io.ensemble.registers.algorithm.RegisterValue.Level;
import io.ensemble.registers.algorithm.RegisterValue.Ordinal;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Proposal;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import io.ensemble.registers.algorithm.RegisterValue.Retired;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The form of registers, which other versions and processes read. */
class RegisterCellCodecTest {

  private static final Participant ONE = new Participant(-1, 2);
  private static final List<RegisterValue> VALUES =
      List.of(
          Flag.RAISED,
          Retired.RETIRED,
          new Ordinal(Long.MIN_VALUE),
          ONE,
          new Proposal(ONE, new Bytes(new byte[] {}), 3, 4),
          new Proposal(ONE, new Bytes(new byte[] {5, -6}), Long.MAX_VALUE, 7),
          new Ranked(3, 8, Level.UP, true, List.of(new Bytes(new byte[] {9})), List.of(), ONE, 10),
          new Ranked(
              3,
              8,
              Level.DOWN,
              false,
              List.of(new Bytes(new byte[] {2, 3}), new Bytes(new byte[] {})),
              List.of(new Bytes(new byte[] {4})),
              ONE,
              10));

  @Test
  void eachKindOfValueIsReadAsItWasWritten() {
    for (RegisterValue value : VALUES) {
      RegisterCell cell = new RegisterCell(11, value);

      assertThat(RegisterCellCodec.decode(RegisterCellCodec.encode(cell))).isEqualTo(cell);
    }
  }

  @Test
  void theFormStaysTheSame() {
    byte[] bytes =
        RegisterCellCodec.encode(
            new RegisterCell(1, new Proposal(ONE, new Bytes(new byte[] {5}), 3, 4)));

    assertThat(HexFormat.of().formatHex(bytes))
        .isEqualTo(
            "0173"
                + "0000000000000001"
                + "ffffffffffffffff"
                + "0000000000000002"
                + "0000000000000003"
                + "0000000000000004"
                + "05");
  }

  @Test
  void anotherFormOrADamagedOneIsRefused() {
    for (RegisterValue value : VALUES) {
      byte[] bytes = RegisterCellCodec.encode(new RegisterCell(11, value));
      byte[] later = bytes.clone();
      later[0] = 2;
      byte[] unknown = bytes.clone();
      unknown[1] = 'z';
      byte[] head = Arrays.copyOf(bytes, 9);

      for (byte[] bad : List.of(later, unknown, head, new byte[] {})) {
        assertThatThrownBy(() -> RegisterCellCodec.decode(bad))
            .isInstanceOf(UnreadableCellException.class);
      }
    }
  }
}
