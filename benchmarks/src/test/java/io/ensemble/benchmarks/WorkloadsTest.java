package io.ensemble.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

class WorkloadsTest {

  @ParameterizedTest
  @CsvSource({
    "a, 0.5,  0.5,  0,    0,    0,   zipfian",
    "b, 0.95, 0.05, 0,    0,    0,   zipfian",
    "c, 1,    0,    0,    0,    0,   zipfian",
    "D, 0.95, 0,    0,    0.05, 0,   latest",
    "e, 0,    0,    0.95, 0.05, 0,   zipfian",
    "f, 0.5,  0,    0,    0,    0.5, zipfian",
  })
  void theMixIsThePublishedOne(
      String letter,
      double read,
      double update,
      double scan,
      double insert,
      double rmw,
      String keys)
      throws Exception {
    Properties workload = Workloads.load(letter);

    assertThat(
            List.of(
                number(workload, "readproportion"),
                number(workload, "updateproportion"),
                number(workload, "scanproportion"),
                number(workload, "insertproportion"),
                number(workload, "readmodifywriteproportion")))
        .containsExactly(read, update, scan, insert, rmw);
    assertThat(read + update + scan + insert + rmw).isCloseTo(1, within(1e-9));
    assertThat(workload).containsEntry("requestdistribution", keys);
    Measurements.setProperties(workload);
    new CoreWorkload().init(workload); // YCSB accepts it.
  }

  @ParameterizedTest
  @ValueSource(strings = {"g", "", "ab", "../a"})
  void thereAreNoOthers(String letter) {
    assertThatIllegalArgumentException().isThrownBy(() -> Workloads.load(letter));
  }

  @Test
  void scansAreShort() {
    assertThat(Workloads.load("e")).containsEntry("maxscanlength", "100");
  }

  private static double number(Properties workload, String name) {
    return Double.parseDouble(workload.getProperty(name));
  }
}
