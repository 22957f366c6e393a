module belfry/neighbours/conductor

go 1.24

require (
	github.com/antihax/optional v1.0.0
	github.com/conductor-sdk/conductor-go v1.5.4
)

require (
	github.com/patrickmn/go-cache v2.1.0+incompatible // indirect
	github.com/sirupsen/logrus v1.8.1 // indirect
	golang.org/x/sys v0.6.0 // indirect
)
