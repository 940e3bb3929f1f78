/**
 * The command {@code bundle}: collects what describes a federation and its programs into an
 * archive, for a report about a problem, without secrets.
 */
@NullMarked
package io.ensemble.cli.bundle;

import org.jspecify.annotations.NullMarked;
