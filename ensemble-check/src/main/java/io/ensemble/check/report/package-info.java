/** The results of a trial: the history, the verdict, and a page with plots. */
@NullMarked
package io.ensemble.check.report;

import org.jspecify.annotations.NullMarked;
