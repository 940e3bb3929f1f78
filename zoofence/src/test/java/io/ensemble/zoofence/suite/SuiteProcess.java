package io.ensemble.zoofence.suite;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Arrays;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes, and prints a line for each test with its status and its name. */
public final class SuiteProcess {
  private static final String PACKAGE = "org.apache.zookeeper.test.";

  private SuiteProcess() {}

  /** Runs the named classes; names without a package are in {@code org.apache.zookeeper.test}. */
  public static void main(String[] classes) throws Exception {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(
                Arrays.stream(classes)
                    .map(name -> selectClass(name.contains(".") ? name : PACKAGE + name))
                    .toList())
            .configurationParameter("junit.jupiter.execution.timeout.default", "300 s")
            .build();
    LauncherFactory.create()
        .execute(
            request,
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest() || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                  System.out.println("RESULT " + result.getStatus() + " " + name(test));
                  result.getThrowable().ifPresent(failure -> failure.printStackTrace(System.out));
                }
              }
            });
    System.exit(0);
  }

  private static String name(TestIdentifier test) {
    return test.getUniqueId()
        .replaceAll(
            ".*\\[class:[^\\]]*\\.([A-Za-z0-9]+)\\]/\\[(?:method|test-template):([^\\]]*)\\]"
                + "(?:/\\[test-template-invocation:([^\\]]*)\\])?.*",
            "$1.$2$3");
  }
}
