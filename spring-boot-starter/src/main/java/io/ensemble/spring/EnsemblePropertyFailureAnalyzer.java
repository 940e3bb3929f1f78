package io.ensemble.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Makes Spring Boot report a wrong property without a stack trace. */
final class EnsemblePropertyFailureAnalyzer
    extends AbstractFailureAnalyzer<EnsemblePropertyException> {

  EnsemblePropertyFailureAnalyzer() {}

  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, EnsemblePropertyException cause) {
    return new FailureAnalysis(cause.getMessage(), cause.remedy(), cause);
  }
}
