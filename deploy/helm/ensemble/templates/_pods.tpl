{{/* The security context of every container. */}}
{{- define "ensemble.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/* What the pods with Ensemble's image have in common. */}}
{{- define "ensemble.podBasics" -}}
serviceAccountName: {{ include "ensemble.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- end -}}

{{/* Image, command, and security context of a container with Ensemble's image. */}}
{{- define "ensemble.containerBasics" -}}
image: {{ include "ensemble.image" (dict "image" .Values.image "tag" .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- include "ensemble.containerSecurity" . | nindent 2 }}
{{- end -}}

{{/* Environment of the command line. Arguments: root, heapMegabytes, javaOptions. */}}
{{- define "ensemble.environment" -}}
- name: HOME
  value: /var/lib/ensemble
- name: ENSEMBLE_FEDERATION
  value: /var/lib/ensemble/federation.json
- name: ENSEMBLE_CATALOG
  value: {{ include "ensemble.catalog" .root | quote }}
- name: ENSEMBLE_JAVA_OPTS
  value: {{ printf "-Xmx%dm %s" (int .heapMegabytes) (default "" .javaOptions) | trim | quote }}
{{- end -}}

{{/* Files of the catalog and of the sites, at the paths that the catalog names. */}}
{{- define "ensemble.clientMounts" -}}
- name: home
  mountPath: /var/lib/ensemble
- name: tmp
  mountPath: /tmp
{{- if .Values.catalog.accessSecret }}
- name: catalog
  mountPath: /etc/ensemble/catalog
  readOnly: true
{{- end }}
{{- range $site := .Values.sites }}
{{- if or (include "ensemble.siteSecret" (dict "root" $ "site" $site)) $site.tls }}
- name: site-{{ $site.name }}
  mountPath: /etc/ensemble/sites/{{ $site.name }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "ensemble.clientVolumes" -}}
- name: home
  emptyDir: {sizeLimit: 256Mi}
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
{{- if .Values.catalog.accessSecret }}
- name: catalog
  secret:
    secretName: {{ .Values.catalog.accessSecret }}
    defaultMode: 0440
{{- end }}
{{- range $site := .Values.sites }}
{{- $secret := include "ensemble.siteSecret" (dict "root" $ "site" $site) }}
{{- if or $secret $site.tls }}
- name: site-{{ $site.name }}
  projected:
    defaultMode: 0440
    sources:
      {{- if $secret }}
      - secret:
          name: {{ $secret }}
          items:
            - {key: username, path: username}
            - {key: password, path: password}
      {{- end }}
      {{- with $site.tls }}
      - secret:
          name: {{ .secretName }}
          items:
            - {key: ca.crt, path: ca.crt}
      {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The access file and its files, and the directory of the audit log. */}}
{{- define "ensemble.accessMounts" -}}
- name: access
  mountPath: /etc/ensemble/access
  readOnly: true
- name: audit
  mountPath: /var/lib/ensemble/audit
  subPathExpr: $(POD_NAME)
{{- end -}}

{{- define "ensemble.accessVolumes" -}}
- name: audit
  {{- toYaml .Values.rest.audit.volume | nindent 2 }}
- name: access
  {{- if .Values.access.existingSecret }}
  secret:
    secretName: {{ .Values.access.existingSecret }}
    defaultMode: 0440
  {{- else }}
  projected:
    defaultMode: 0440
    sources:
      - configMap:
          name: {{ include "ensemble.fullname" . }}-access
      {{- with .Values.access.tls.secretName }}
      - secret:
          name: {{ . }}
          items:
            - {key: tls.crt, path: tls.crt}
            - {key: tls.key, path: tls.key}
      {{- end }}
      {{- if .Values.access.users.secretName }}
      - secret:
          name: {{ .Values.access.users.secretName }}
          items:
            - {key: {{ .Values.access.users.key | quote }}, path: users}
      {{- end }}
      {{- range .Values.access.tokens }}
      - secret:
          name: {{ .secretName }}
          items:
            - {key: {{ .key | quote }}, path: {{ printf "tokens/%s" .name }}}
      {{- end }}
  {{- end }}
{{- end -}}

{{/* Probes over REST. The Host is one that the service accepts. */}}
{{- define "ensemble.restProbes" -}}
{{- $scheme := ternary "HTTPS" "HTTP" (eq (include "ensemble.restIsTls" .) "true") -}}
startupProbe:
  httpGet: {path: /health/live, port: rest, scheme: {{ $scheme }}, httpHeaders: [{name: Host, value: localhost}]}
  periodSeconds: 3
  timeoutSeconds: 3
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /health/live, port: rest, scheme: {{ $scheme }}, httpHeaders: [{name: Host, value: localhost}]}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /health/ready, port: rest, scheme: {{ $scheme }}, httpHeaders: [{name: Host, value: localhost}]}
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}

{{- define "ensemble.metricsAnnotations" -}}
{{- if .Values.metrics.annotations }}
prometheus.io/scrape: "true"
prometheus.io/path: /metrics
prometheus.io/port: {{ .Values.rest.port | quote }}
prometheus.io/scheme: https
{{- end }}
{{- end -}}
