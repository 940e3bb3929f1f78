/**
 * Shows atomic objects at work: processes that share a counter, a queue and a lock while one dies.
 */
@NullMarked
package io.ensemble.deploy.demo.objects;

import org.jspecify.annotations.NullMarked;
