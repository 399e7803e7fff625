module kubexm.test/labd

go 1.22
